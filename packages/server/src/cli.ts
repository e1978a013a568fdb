import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { ApplyOptions } from '#cli/apply.ts'
import type { BackupOptions } from '#cli/backup.ts'
import type { CallOptions } from '#cli/call.ts'
import type { ConfigOptions } from '#cli/config.ts'
import type { ConnectionOptions } from '#cli/connection/connection.ts'
import type { DevOptions } from '#cli/dev.ts'
import type { DoctorOptions } from '#cli/doctor.ts'
import type { EraseOptions } from '#cli/erase.ts'
import type { ExplainOptions } from '#cli/explain.ts'
import type { ExportOptions } from '#cli/export.ts'
import type { ExportDataOptions } from '#cli/export-data.ts'
import { fail } from '#cli/terminal/fail.ts'
import type { InitOptions } from '#cli/init.ts'
import type { ListenOptions } from '#cli/listen.ts'
import type { LabOptions } from '#cli/lab.ts'
import type { PinOptions } from '#cli/pin.ts'
import type { ReplayOptions } from '#cli/replay.ts'
import type { RestoreOptions } from '#cli/restore.ts'
import type { SayOptions } from '#cli/say.ts'
import { settingsHelp } from '#cli/start/settings.ts'
import type { TailOptions } from '#cli/tail.ts'
import type { TestOptions } from '#cli/test.ts'
import type { TokenOptions } from '#cli/token.ts'
import type { TopOptions } from '#cli/top/top.ts'
import { inClone } from '#places.ts'
import { version } from '#settings/version.ts'

const program = new Command('offhook')
  .description('Offhook: the phone is off the hook, and your webhook answers it.')
  .showHelpAfterError('Try: offhook --help')
  .version(version(), '-V, --version', 'print the version')
  .helpCommand(false)
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })
  .option('--config <file>', 'settings, as lines NAME=value [OFFHOOK_CONFIG]; the environment wins')
  // Puts the file into the environment for all readers of settings, including child processes.
  .hook('preAction', (command) => {
    const { config } = command.opts<{ config?: string }>()
    if (config !== undefined) process.env['OFFHOOK_CONFIG'] = resolve(config)
  })
  .addHelpText('after', '\nWithout a command it serves. Each command says more with --help. The documentation is at /docs of the service.')

/** A command that connects to a running service. */
const client = (name: string): Command =>
  program
    .command(name)
    .option('--url <address>', 'where the service is [OFFHOOK_URL, or the one that runs here]')
    .option('--token <token>', 'in whose name [OFFHOOK_TOKEN, or that of the first start]')

const seconds = (text: string): number => {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}

const whole = (text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}

const days = (text: string): number => {
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError('It must be a number of days.')
  return Number(text)
}

const part = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('It must be a number from 0 to 1.')
  return value
}

/** Commands are loaded on demand: most of them need little, and serve needs everything. */
program
  .command('serve')
  .description('run the service (the default command)')
  .addHelpText('after', settingsHelp)
  .action(async () => (await import('#cli/serve.ts')).serve())

client('dev')
  .description(
    'create a flow for your endpoint, open the console on it and show everything that happens; starts a service if none is running',
  )
  .option('--endpoint <address>', 'your webhook, such as http://localhost:3000; reached from here, so no tunnel is needed')
  .option('--ws <address>', 'or your WebSocket, such as ws://localhost:3000; the service connects to it')
  .option(
    '--events [names]',
    'also extended events: all, or names with commas between them; without any the usual ones. The flow keeps them',
  )
  .option('--bytes', 'show requests and answers byte by byte')
  .option('--no-open', 'do not open the browser')
  .action(async (options: DevOptions) => (await import('#cli/dev.ts')).dev(options))

program
  .command('init [folder]')
  .description('create a first assistant in TypeScript, or in JavaScript if Node is older than 22.18')
  .option('--js', 'in JavaScript')
  .option('--llm', 'an assistant from a prompt, which asks a language model')
  .option('--url <address>', 'with --llm: where the model is, up to where /chat/completions follows; default: Ollama on this machine')
  .option('--model <name>', 'with --llm: how it is called there')
  .option('--template <name>', 'with --llm: reception, appointments or out_of_hours')
  .option('--language <language>', 'with --llm: en or de')
  .action(async (folder: string | undefined, options: InitOptions) => (await import('#cli/init.ts')).init(folder, options))

client('say [texts...]')
  .description('call a flow and type instead of speaking; with texts: say them one after another and hang up')
  .option('--flow <flow>', 'id or name; default: the only one, the one that dev opened last, or that of the first start')
  .option('--patience <seconds>', 'how long to wait for an answer before the next text', seconds, 15)
  .option('--expect <patterns...>', 'fail unless each of these regular expressions was said')
  .option('--from <number>', 'who seems to call, for the endpoint')
  .option('--to <number>', 'which number seems to be called')
  .option('--fast', 'what the assistant says takes no time')
  .action(async (texts: string[], options: SayOptions) => (await import('#cli/say.ts')).say(texts, options))

client('test [files...]')
  .description('run the conversations in scenario files with an assistant and report the results: *.scenario.yaml, *.scenario.json')
  .option('--endpoint <address>', 'your webhook or WebSocket, such as http://localhost:3000 or ws://localhost:3001')
  .option('--module <file>', 'or the file that exports your assistant: it is run here, without a server')
  .option('--flow <flow>', 'or a flow of the service, by id or name; without files also what is kept with it')
  .option('--version <number>', 'with --flow: this version of its assistant', whole)
  .option('--draft', 'with --flow: its assistant as it is being written')
  .option('--live', 'with --flow: in typed calls through the service')
  .option('--voice', 'with --live: the words of the caller are said aloud instead of typed [models: offhook models]')
  .option('--limit <figure=value...>', 'fail above this, such as response_p95_ms=2000; what a file says itself wins')
  .option('--fast', 'with --live: what is said takes no time')
  .option('--secret <secret>', 'with --endpoint: sign as the flow with this secret would')
  .option('--key <key>', 'with --endpoint: the key of the flow')
  .option('--jobs <number>', 'how many at the same time', whole, 8)
  .option('--repeat <times>', 'hold each so often', whole, 1)
  .option('--min-pass <part>', 'with --repeat: so many of them have to pass, 0 to 1', part, 1)
  .option(
    '--judge <address>',
    'a language model for what has to be judged, and to play callers: up to where /chat/completions follows [key: OFFHOOK_JUDGE_KEY]',
  )
  .option('--judge-model <name>', 'how it is called there')
  .option('--junit <file>', 'also write a JUnit report')
  .option('--json', 'for programs')
  .action(async (files: string[], options: TestOptions) => (await import('#cli/test.ts')).test(files, options))

client('call <number>')
  .description('call a number: your own phone rings first, then the number; with --flow, the assistant calls')
  .option('--flow <flow>', 'id or name')
  .option('--device <device>', 'which phone, such as e0; default: your first one')
  .option('--variables <json>', 'with --flow: what the assistant knows about the call, such as {"first_name": "Ada"}')
  .option('--correlation-id <text>', 'with --flow: your own name of the call, by which the history finds it')
  .option('--follow', 'and show what happens in the call')
  .action(async (number: string, options: CallOptions) => (await import('#cli/call.ts')).call(number, options))

client('tail')
  .description('show what happens in calls, as it happens')
  .option('--flow <flow>', 'only of this flow: id or name')
  .option('--call <call>', 'only of this call, from its beginning to its end')
  .option('--bytes', 'show requests and answers byte by byte')
  .option('--json', 'one JSON object for each line')
  .action(async (options: TailOptions) => (await import('#cli/tail.ts')).tail(options))

client('top')
  .description('show running calls, processes and trunks, as the operator; not on a terminal: print them once')
  .option('--interval <seconds>', 'between two looks', seconds, 2)
  .action(async (options: TopOptions) => (await import('#cli/top/top.ts')).top(options))

client('explain <call>')
  .description('explain a call: who waited for whom, what was cut off, discarded or lost; last: the latest call')
  .option('--json', 'for programs')
  .addOption(new Option('--language <language>', 'of the text').choices(['en', 'de']))
  .action(async (call: string, options: ExplainOptions) => (await import('#cli/explain.ts')).explain(call, options))

client('lab <call>')
  .description(
    'what would have been with other settings: the recording of a call is listened to again; last: the latest call, or a file: recording.wav',
  )
  .option('--set <setting=values...>', 'what to try: vad.end_of_turn_silence_ms=300..1200, turn_taking=quick,patient, barge_in.strategy=…')
  .option('--turns <file>', 'what was really said, by somebody who listened: JSON, a list of { startMs, endMs }')
  .option('--language <language>', 'of a file; default: en')
  .option('--json', 'for programs')
  .action(async (call: string, options: LabOptions) => (await import('#cli/lab.ts')).lab(call, options))

client('pin <call>')
  .description('turn a call into a scenario for tests; last: the latest call')
  .option('--words', 'what the assistant said is expected, too, and not only what it did')
  .option('--name <name>', 'of the scenario; default: that of the call')
  .option('--flow <flow>', 'keep it with this flow, id or name, instead of writing a file')
  .option('--required', 'with --flow: no version is published while it fails')
  .option('-o, --output <file>', 'default: NAME.scenario.yaml here; JSON when it ends so')
  .action(async (call: string, options: PinOptions) => (await import('#cli/pin.ts')).pin(call, options))

client('replay [calls...]')
  .description('replay past calls without sound and show what is different now; fails if anything is. last: the latest call')
  .option('--flow <flow>', 'with the endpoint of this flow, id or name; default: that of each call')
  .option('--draft', 'with the assistant of the flow as it is being written')
  .option('--version <number>', 'with a version of its assistant', whole)
  .option('--endpoint <address>', 'with a webhook or WebSocket that is reached from here')
  .option('--secret <secret>', 'with --endpoint: signs events, as that of a flow (whsec_…)')
  .option('--since <time>', 'all calls of the flow since then: 7d, 12h or a date')
  .option('--json', 'for programs')
  .action(async (calls: string[], options: ReplayOptions) => (await import('#cli/replay.ts')).replay(calls, options))

client('listen')
  .description('receive the events of a flow and forward them to an address that only this machine can reach')
  .option('--flow <flow>', 'id or name; default: the only one, the one that dev opened last, or that of the first start')
  .requiredOption('--to <address>', 'where to, such as http://localhost:3000')
  .action(async (options: ListenOptions) => (await import('#cli/listen.ts')).listen(options))

client('mcp')
  .description('serve the Model Context Protocol tools on stdin and stdout to the program that starts this')
  .action(async (options: ConnectionOptions) => (await import('#cli/mcp.ts')).mcp(options))

client('apply <file>')
  .description(
    'make an account as a YAML or JSON file describes it: users, lines, groups, numbers, office hours, flows, assistants, routes',
  )
  .option('--dry-run', 'show what would be created and changed, and write nothing')
  .option('--diff', 'the same with every field that differs')
  .option('--operator', 'also create and change the account, and assign numbers [OFFHOOK_OPERATOR_TOKEN, or that of the first start]')
  .action(async (file: string, options: ApplyOptions) => (await import('#cli/apply.ts')).apply(file, options))

client('export')
  .description('write an account as a file for offhook apply, without secrets')
  .option('-o, --output <file>', 'default: standard output')
  .action(async (options: ExportOptions) => (await import('#cli/export.ts')).exportAccount(options))

client('export-data <type> [id]')
  .description('write everything that is stored about an account, user, contact or number to an archive: export-data user w3')
  .option('--account <account>', 'as the operator: in this account')
  .option('-o, --output <file>', 'default: export-DATE-REFERENCE.tar here')
  .action(async (type: string, id: string | undefined, options: ExportDataOptions) =>
    (await import('#cli/export-data.ts')).exportData(type, id, options),
  )

client('erase [type] [id]')
  .description('erase everything that is stored about an account, user, contact or number: erase number +493023125001')
  .option('--account <account>', 'as the operator: in this account')
  .option('--grace <days>', 'how long the erasure can be cancelled: 1 to 30, as the operator also 0; default: 7', days)
  .option('--cancel <erasure>', 'cancel this erasure instead')
  .action(async (type: string | undefined, id: string | undefined, options: EraseOptions) =>
    (await import('#cli/erase.ts')).erase(type, id, options),
  )

const token = client('token')
  .description('print the token that commands use; create, list and revoke personal tokens')
  .option('--operator', 'the token of the operator')
  .action(async (options: TokenOptions) => (await import('#cli/token.ts')).printToken(options))
token
  .command('create <name>')
  .description('create a personal access token')
  .option('--scopes <scopes...>', 'what it may be used for; default: everything')
  .action(async (name: string, _options: object, command: Command) =>
    (await import('#cli/token.ts')).createToken(name, command.optsWithGlobals()),
  )
token
  .command('list')
  .description('list personal access tokens')
  .action(async (_options: object, command: Command) => (await import('#cli/token.ts')).listTokens(command.optsWithGlobals()))
token
  .command('revoke <id>')
  .description('revoke a personal access token')
  .action(async (id: string, _options: object, command: Command) =>
    (await import('#cli/token.ts')).revokeToken(id, command.optsWithGlobals()),
  )

program
  .command('doctor')
  .description(
    'check this machine and the service that runs: versions, ports, NAT, certificates, sound, database, ways out, models, disk, clock',
  )
  .option('--json', 'for programs')
  .option('--endpoint <address>', 'also whether the service may and can reach this endpoint')
  .action(async (options: DoctorOptions) => (await import('#cli/doctor.ts')).doctor(options))

program
  .command('config')
  .description('print the settings in effect and where each one comes from')
  .option('--changed', 'only those that differ from their default')
  .option('--check', 'print nothing but what is wrong; fails if anything is, for deployments')
  .option('--json', 'for programs')
  .action(async (options: ConfigOptions) => (await import('#cli/config.ts')).config(options))

program
  .command('backup <file>')
  .description('write the database and files to a tar archive while the service keeps running; -: to standard output')
  .option('--with-key', 'also the secret key and first-run.json: who has the archive then has everything')
  .addOption(
    new Option(
      '--files <which>',
      'here: recordings, faxes and mails of the data folder. all: also those that are on S3. none: only the database',
    )
      .choices(['here', 'all', 'none'])
      .default('here'),
  )
  .action(async (file: string, options: BackupOptions) => (await import('#cli/backup.ts')).backup(file, options))

program
  .command('restore <file>')
  .description('restore a backup into an empty data folder and an empty database; -: from standard input')
  .option('--key-file <file>', 'the secret key, when it is neither in the backup nor in OFFHOOK_SECRET_KEY')
  .option('--erasures <file>', 'a newer backup, or erasures.journal of its data folder: who was erased since is erased again')
  .option('--rehearsal', 'for trying: trunks are switched off, and nothing is sent that waited when the backup was made')
  .action(async (file: string, options: RestoreOptions) => (await import('#cli/restore.ts')).restore(file, options))

program
  .command('upgrade')
  .description('show what starting this version would do to the database; nothing is changed')
  .requiredOption('--check', 'fails when this version could not start, or not be taken back')
  .action(async () => (await import('#cli/upgrade.ts')).checkUpgrade())

program
  .command('models')
  .description('download missing speech models (the first start does this, too)')
  .action(async () => (await import('#cli/models.ts')).models())

program
  .command('speech')
  .description('run speech recognition and voices as a service for OFFHOOK_SPEECH=service, over the OpenAI audio interface')
  .action(async () => (await import('#cli/speech.ts')).speech())

// A package is already built.
if (inClone)
  program
    .command('build')
    .description(
      'make the pages of the console when their sources have changed, and one program of all sources, which starts faster (npm install does it, too)',
    )
    .action(async () => (await import('#cli/start/build.ts')).build())

program
  .command('version')
  .description('print the version')
  .action(() => console.log(version()))

for (const command of [...program.commands, ...token.commands])
  command.showHelpAfterError(`Try: offhook ${command.parent === token ? 'token ' : ''}${command.name()} --help`)

/** `offhook --config file` serves, too. */
const isServing = (given: string[]): boolean => {
  const [first = ''] = given
  return given.length === (first === '--config' ? 2 : first.startsWith('--config=') ? 1 : 0)
}

const [, , ...given] = process.argv
const words = isServing(given) ? ['serve', ...given] : given
const serves = words[0] === 'serve' || words[0] === 'speech'

/** `offhook tail | head` ends with head; a service continues when its standard output is closed; a backup without a reader fails. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  if (!serves) process.exit(words.includes('backup') ? 1 : 0)
})

process.on('unhandledRejection', fail)
await program.parseAsync(words, { from: 'user' }).catch(fail)
