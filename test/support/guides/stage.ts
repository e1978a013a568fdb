import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { createClient, type Client } from '@offhook/sdk'
import { freePorts } from '../machine/free-ports.ts'
import { until } from '../machine/peer-process.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { root } from './blocks.ts'
import { Shell, type Terminal } from './shell.ts'

/** Long-running commands with their ready output. The last element names the command. */
const inProgress: readonly [command: RegExp, isThere: RegExp, what: string][] = [
  [/\bnpm start\b|\boffhook( serve)? *(#|$)/, /"ready":true/, 'service'],
  [/\boffhook say *(#|$)/, /Calling .*\n[^]*\n/, 'say'],
  [/\boffhook tail\b/, /./, 'tail'],
  [/\boffhook dev\b/, /Talk to it|talk\/|Waiting/i, 'dev'],
  [/\boffhook listen\b/, /./, 'listen'],
  [/\bnode \S*(assistant\.ts|endpoint\.mjs)\b/, /listens on port|(http|ws):\/\//, 'endpoint'],
  [/\bpython3 \S*assistant\.py\b/, /ws:\/\//, 'endpoint'],
  [/^baresip\b/, /200 OK/, 'phone'],
]

/** Parts of a clone that commands of guides use. */
const linked = ['node_modules', 'packages', 'examples', 'deploy', 'bin', 'docs', 'package.json']

/** `npx` and `npm` as in an installed clone; rejected requests count as failures. */
const programs: Readonly<Record<string, string>> = {
  npx: `case "$1" in
  offhook) shift; exec node "${root}/bin/offhook.mjs" "$@" ;;
  node) shift; exec node "$@" ;;
  *) echo "npx $1 would be fetched" >&2; exit 1 ;;
esac`,
  npm: `case "$*" in
  ci) exit 0 ;;
  start) exec node "${root}/bin/offhook.mjs" serve ;;
  *) echo "npm $* is not run here" >&2; exit 1 ;;
esac`,
  python3: 'exec /usr/bin/python3 "$@"',
  curl: 'exec /usr/bin/curl --fail-with-body --silent --show-error "$@"',
}

/** Retries until the other side has answered, as a reader would. */
const patiently = (work: () => Promise<string>): Promise<string> =>
  until('a call that is answered', () =>
    work().catch((error: Error) => {
      if (error.message.includes('call_not_in_state')) return undefined
      throw error
    }),
  )

/** Code in the message sent to a mobile phone. */
const codeOfMessage = (api: Client): Promise<string> =>
  until('a message with a code', async () => {
    const { items } = await api.listOwnHistory({ types: 'SMS' } as never)
    return items.map(({ smsContent = '' }) => /\b\d{6}\b/.exec(smsContent)?.[0]).find((code) => code !== undefined)
  })

/** Settings exported in the terminal: a service started from it inherits them. */
const exported = async (shell: Shell): Promise<string> => {
  const all = await shell.run('export -p')
  const given = [...all.matchAll(/^declare -x ((?:OTEL|OFFHOOK)_(?!HTTP|SIP|SPEECH|LOG|EGRESS_ALLOW)\w+=.*)$/gm)]
  return given.map(([, setting]) => `export ${setting}\n`).join('')
}

/** Clone-like folder, a terminal in it, and the service that guides start. */
export class Stage {
  /** Folder of the current guide. */
  #place = ''
  readonly #folder: string
  readonly ports: Readonly<Record<'http' | 'sip' | 'endpoint' | 'socket' | 'files' | 'smpp', number>>
  #shell: Shell | undefined
  /** Lives as long as the stage: guides use it or restart it. */
  readonly #house: Shell
  #service: { terminal: Terminal; command: string } | undefined
  readonly #others = new Map<string, Terminal>()

  static async open(t: Scope, folder: string): Promise<Stage> {
    const first = await freePorts(t, 6)
    return new Stage(folder, { http: first, sip: first + 1, endpoint: first + 2, socket: first + 3, files: first + 4, smpp: first + 5 })
  }

  private constructor(folder: string, ports: Stage['ports']) {
    this.#folder = folder
    this.ports = ports
    for (const name of ['programs', 'data']) mkdirSync(join(folder, name))
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(folder, 'programs', name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(folder, 'programs', name), 0o755)
    }
    this.#house = new Shell(folder, this.#environment())
  }

  get notes(): Required<FirstRunNotes> {
    return JSON.parse(readFileSync(join(this.#folder, 'data/first-run.json'), 'utf8')) as Required<FirstRunNotes>
  }

  /** Starts a guide: resets variables, with the service as `npm start` leaves it. */
  async begin(): Promise<string> {
    await this.end()
    this.#place = mkdtempSync(join(this.#folder, 'guide-'))
    for (const name of linked) symlinkSync(join(root, name), join(this.#place, name))
    symlinkSync(join(this.#folder, 'data'), join(this.#place, 'data'))
    if (this.#service?.command !== 'npm start') await this.#serve('npm start')
    const { token, accountId, operator } = this.notes
    const variables = { TOKEN: token, ACCOUNT: accountId, OPERATOR_TOKEN: operator.token, URL: this.url }
    this.#shell = new Shell(this.#place, this.#environment(variables))
    return this.#place
  }

  async perform(command: string): Promise<void> {
    const shell = this.#shell
    if (!shell) throw new Error('no guide has begun')
    const written = await this.#here(command)
    const [, isThere, what] = inProgress.find(([pattern]) => pattern.test(command)) ?? []
    if (!isThere || what === undefined) return void (await patiently(() => shell.run(written)))
    if (what === 'service') return this.#serve((await exported(shell)) + written.replace(/^npm ci && /, ''))
    const before = this.#others.get(what)
    if (before) await shell.stop(before)
    this.#others.set(what, await shell.start(written, isThere))
  }

  /** Ends everything started for the guide. */
  async end(): Promise<void> {
    this.#others.clear()
    await this.#shell?.close()
    this.#shell = undefined
  }

  async close(): Promise<void> {
    await this.end()
    await this.#house.close()
  }

  /** One service at a time, because it owns its data folder. */
  async #serve(command: string): Promise<void> {
    if (this.#service?.command === command) return
    if (this.#service) await this.#house.stop(this.#service.terminal)
    this.#service = undefined
    await this.#house.run(`cd ${this.#place}`)
    this.#service = { terminal: await this.#house.start(command, /"ready":true/), command }
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.http}`
  }

  /** Replaces addresses and placeholders with local values. */
  async #here(command: string): Promise<string> {
    const { http, sip, endpoint, socket, files, smpp } = this.ports
    const filled: [RegExp, () => string | Promise<string>][] = [
      [/(127\.0\.0\.1|localhost):8080\b/g, () => `127.0.0.1:${http}`],
      [/(127\.0\.0\.1|localhost):5060\b/g, () => `127.0.0.1:${sip}`],
      [/(127\.0\.0\.1|localhost):3000\b/g, () => `127.0.0.1:${endpoint}`],
      [/(127\.0\.0\.1|localhost):3001\b/g, () => `127.0.0.1:${socket}`],
      [/127\.0\.0\.1:2775\b/g, () => `127.0.0.1:${smpp}`],
      [/https:\/\/phone\.example\b/g, () => this.url],
      [/https:\/\/files\.example\b/g, () => `http://127.0.0.1:${files}`],
      [/\bUSERNAME\b/g, () => this.notes.sip.user],
      [/\bPASSWORD\b/g, () => this.notes.sip.password],
      [/(?<=--flow )ID\b/g, () => this.notes.flowId],
      [/(?<=--token )TOKEN\b/g, () => this.notes.token],
      [/(?<=_KEY=)…/g, () => 'key'],
      [/whsec_…/g, () => `whsec_${Buffer.alloc(24, 7).toString('base64')}`],
      [/(?<="code": ")123456\b/g, () => codeOfMessage(createClient({ baseUrl: this.url, token: this.notes.token }))],
    ]
    let text = command
    for (const [pattern, value] of filled) if (pattern.test(text)) text = text.replaceAll(pattern, await value())
    return text
  }

  #environment(more: Record<string, string> = {}): Record<string, string | undefined> {
    const ours = Object.entries(process.env).filter(([name]) => !/^(OFFHOOK_|NODE_TEST)/.test(name))
    const { http, sip, endpoint, files } = this.ports
    return {
      ...Object.fromEntries(ours),
      PATH: `${join(this.#folder, 'programs')}:${join(process.execPath, '..')}:${process.env.PATH ?? ''}`,
      HOME: this.#folder,
      OFFHOOK_HTTP: `127.0.0.1:${http}`,
      OFFHOOK_SIP: `127.0.0.1:${sip}`,
      OFFHOOK_EGRESS_ALLOW: `127.0.0.1:${files}`,
      OFFHOOK_SPEECH: 'tones',
      OFFHOOK_SHED_LOAD: 'off',
      OFFHOOK_LOG: 'warn',
      PORT: String(endpoint),
      ...more,
    }
  }
}
