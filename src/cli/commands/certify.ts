import { type CertifyFlags, certify, certifyFlags } from '../certifying.js';
import type { ConfigureCommand } from '../command.js';

const configure: ConfigureCommand = (command, end) => {
  certifyFlags(command)
    .description('runs the cases; without a target it starts the reference deployment on a free port')
    .action(async (args: string[], flags: CertifyFlags) => end(await certify(args, flags)));
};

export default configure;
