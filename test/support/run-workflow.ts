import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readYaml } from '../../src/support/yaml-file.js';
import { type CommandResult, watchProcess } from './cli.js';

type Values = Readonly<Record<string, string>>;

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Values;
  readonly with?: Values;
  readonly 'working-directory'?: string;
}

interface Job {
  readonly env?: Values;
  readonly steps: readonly Step[];
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/** The result of a workflow. A step that fails ends it, except for steps with an `if`. */
export interface WorkflowResult {
  /** By the name of the step, or its command. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The output of all steps. */
  readonly output: string;
  /** The job summary and the outputs of steps. */
  readonly summary: string;
  readonly outputs: string;
  /** The folders that would be uploaded. */
  readonly uploaded: readonly string[];
}

/**
 * Runs the shell steps of a workflow's job as GitHub does, including those of the suite's action. Other actions are
 * skipped.
 *
 * @param contexts the values of expressions such as `vars.BASE_URL`; others are empty
 * @param env of the runner, such as PATH
 */
export async function runWorkflow(
  file: string,
  { cwd, contexts, env }: { cwd: string; contexts: Values; env: Values },
): Promise<WorkflowResult> {
  const { jobs } = readYaml(file).value as { jobs: Record<string, Job> };
  const [job] = Object.values(jobs);
  if (job === undefined) throw new Error(`${file} has no job.`);
  const folder = mkdtempSync(path.join(cwd, '.runner-'));
  const files = { GITHUB_OUTPUT: path.join(folder, 'output'), GITHUB_STEP_SUMMARY: path.join(folder, 'summary') };
  for (const each of Object.values(files)) writeFileSync(each, '');
  const ofRunner = { ...env, ...files, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: cwd, CI: 'true' };
  const statuses: Record<string, number> = {};
  const uploaded: string[] = [];
  let output = '';
  let hasFailed = false;

  const runSteps = async (steps: readonly Step[], known: Values, outer: Values): Promise<void> => {
    for (const step of steps) {
      // After a failure, only steps with a status function run.
      const isWanted = step.if === undefined ? !hasFailed : step.if.includes('cancelled()') || isSet(step.if, known);
      if (!isWanted) continue;
      const own = { ...outer, ...filledIn(step.env ?? {}, known) };
      const inner = { ...known, ...prefixed('env', own) };
      if (step.uses?.startsWith('actions/upload-artifact@')) uploaded.push(filledIn(step.with ?? {}, known).path ?? '');
      else if (step.uses?.startsWith('./')) {
        const place = path.join(cwd, step.uses);
        const action = readYaml(path.join(place, 'action.yml')).value as Action;
        const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''] as const);
        const inputs = { ...Object.fromEntries(defaults), ...filledIn(step.with ?? {}, inner) };
        await runSteps(
          action.runs.steps,
          { ...prefixed('inputs', inputs), ...prefixed('env', own), 'github.action_path': place },
          own,
        );
      } else if (step.run !== undefined) {
        const script = path.join(folder, 'step.sh');
        writeFileSync(script, filledText(step.run, inner));
        const at = path.join(cwd, filledText(step['working-directory'] ?? '.', known));
        const ended = await shell(script, at, { ...ofRunner, ...own });
        output += ended.output;
        statuses[step.name ?? step.run] = ended.status ?? 1;
        hasFailed ||= ended.status !== 0;
      }
    }
  };
  await runSteps(job.steps, contexts, filledIn(job.env ?? {}, contexts));
  const read = (name: keyof typeof files) => readFileSync(files[name], 'utf8');
  return { statuses, output, uploaded, summary: read('GITHUB_STEP_SUMMARY'), outputs: read('GITHUB_OUTPUT') };
}

/** Runs a script with the flags that GitHub uses. */
function shell(script: string, cwd: string, env: Values): Promise<CommandResult> {
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', script];
  return watchProcess(spawn('bash', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })).ended;
}

function prefixed(context: string, values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${context}.${name}`, value]));
}

function filledIn(values: Values, known: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, filledText(String(value), known)]));
}

/** Replaces expressions: names of a context, joined by `||`. */
function filledText(text: string, known: Values): string {
  return text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
    const values = expression.split(' || ').map((name) => known[name] ?? '');
    return values.find((value) => value !== '') ?? '';
  });
}

/** Of the form `${{ inputs.name != '' }}`. */
function isSet(condition: string, known: Values): boolean {
  const [, name = ''] = /\{\{ (\S+) != '' \}\}/.exec(condition) ?? [];
  return (known[name] ?? '') !== '';
}
