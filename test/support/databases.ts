/** Database servers of Debian's packages, started in a folder of their own and reached through a socket. */

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTestFolder } from './cli.js';

/** A running server. */
export interface Database {
  /** Runs statements with the client that the exports name. @returns what it prints */
  run(sql: string): string;
  stop(): Promise<void>;
}

interface Kind {
  readonly programs: readonly string[];
  /** The user that the server runs as. */
  readonly user: string;
  readonly prepare: (folder: string) => readonly string[];
  readonly serve: (folder: string) => readonly string[];
  readonly client: (folder: string) => readonly string[];
  /** Run once. */
  readonly first: string;
}

const postgresFolder = '/usr/lib/postgresql/15/bin';

const kinds = {
  postgresql: {
    programs: [`${postgresFolder}/initdb`, '/usr/bin/psql'],
    user: 'postgres',
    prepare: (folder) => [
      `${postgresFolder}/initdb`,
      ...['-D', `${folder}/data`, '-U', 'shop', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    ],
    serve: (folder) => [
      `${postgresFolder}/postgres`,
      ...['-D', `${folder}/data`, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    ],
    client: (folder) => ['psql', '-qAtX', '-v', 'ON_ERROR_STOP=1', '-h', folder, '-U', 'shop', 'postgres'],
    first: 'SELECT 1',
  },
  mariadb: {
    programs: ['/usr/bin/mariadb-install-db', '/usr/sbin/mariadbd', '/usr/bin/mariadb'],
    user: 'mysql',
    prepare: (folder) => [
      'mariadb-install-db',
      ...['--no-defaults', `--datadir=${folder}/data`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    ],
    serve: (folder) => [
      '/usr/sbin/mariadbd',
      ...['--no-defaults', `--datadir=${folder}/data`, `--socket=${folder}/socket`, '--skip-networking'],
      ...['--character-set-server=utf8mb4', '--collation-server=utf8mb4_nopad_bin'],
    ],
    client: (folder) => [
      'mariadb',
      ...['--no-defaults', `--socket=${folder}/socket`, '--user=root'],
      ...['--batch', '--raw', '--skip-column-names', '--default-character-set=utf8mb4', '--database=shop'],
    ],
    first: 'CREATE DATABASE shop',
  },
} satisfies Record<string, Kind>;

export type DatabaseName = keyof typeof kinds;
export const databaseNames = Object.keys(kinds) as DatabaseName[];

export function isInstalled(name: DatabaseName): boolean {
  return kinds[name].programs.every((program) => existsSync(program));
}

/** Starts an empty server. */
export async function startDatabase(name: DatabaseName): Promise<Database> {
  const { user, prepare, serve, client, first }: Kind = kinds[name];
  const folder = makeTestFolder();
  // These servers refuse to run as root.
  const as = process.getuid?.() === 0 ? { uid: findId('-u', user), gid: findId('-g', user) } : {};
  chmodSync(folder, 0o755);
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const [setUp = '', ...setUpFlags] = prepare(folder);
  execFileSync(setUp, setUpFlags, { ...as, cwd: folder, stdio: 'ignore' });
  const [program = '', ...flags] = serve(folder);
  const server = spawn(program, flags, { ...as, cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  const execute = ([command = '', ...options]: readonly string[], sql: string) =>
    execFileSync(command, options, { input: sql, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: 'pipe' });
  const withoutDatabase = client(folder).filter((flag) => !flag.startsWith('--database'));
  for (let attempt = 1; ; attempt += 1) {
    try {
      execute(withoutDatabase, first);
      break;
    } catch (error) {
      if (attempt === maxAttempts) throw error;
      await sleep(500);
    }
  }
  return {
    run: (sql) => execute(client(folder), sql),
    async stop() {
      server.kill('SIGINT');
      const timer = setTimeout(() => server.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

const maxAttempts = 120;

function findId(flag: string, user: string): number {
  return Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
}
