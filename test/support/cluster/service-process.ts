import { createClient, type Client } from '@offhook/sdk'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { offhook, ready, type Program } from '../machine/program.ts'
import type { Scope } from '../machine/temporary-folder.ts'

/** One process of an installation that can be killed, frozen and restarted. */
export class ServiceProcess {
  readonly name: string
  /** host:port */
  readonly sip: string
  readonly http: string
  readonly admin: Client
  readonly operator: Client
  readonly #t: Scope
  readonly #settings: Record<string, string>
  #program: Program | undefined
  /** Output of its earlier runs. */
  readonly #before: string[] = []

  constructor(t: Scope, name: string, settings: Record<string, string>, notes: Pick<FirstRunNotes, 'token' | 'operator'>) {
    this.#t = t
    this.name = name
    this.#settings = settings
    this.sip = settings['OFFHOOK_SIP'] ?? ''
    this.http = `http://${settings['OFFHOOK_HTTP']}`
    this.admin = createClient({ baseUrl: this.http, token: notes.token })
    this.operator = createClient({ baseUrl: this.http, token: notes.operator.token })
  }

  get data(): string {
    return this.#settings['OFFHOOK_DATA'] ?? ''
  }

  /** Readiness as load balancers see it. */
  async isReady(): Promise<boolean> {
    return fetch(`${this.http}/ready`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  get program(): Program {
    if (!this.#program) throw new Error(`${this.name} was not started`)
    return this.#program
  }

  get pid(): number {
    return this.program.child.pid ?? -1
  }

  get running(): boolean {
    return this.program.child.exitCode === null && this.program.child.signalCode === null
  }

  adopt(program: Program): this {
    this.#program = program
    return this
  }

  async start(): Promise<this> {
    if (this.#program) this.#before.push(this.#program.written.stderr)
    this.#program = offhook(this.#t, ['serve'], this.#settings)
    await ready(this.#program)
    return this
  }

  async kill(): Promise<void> {
    this.program.child.kill('SIGKILL')
    await this.program.ended
  }

  /** Stops like an operator: resolves when it has ended cleanly. */
  async terminate(): Promise<number | null> {
    this.program.child.kill('SIGTERM')
    return this.program.ended
  }

  /** Freezes the process without notice. */
  freeze(): void {
    this.program.child.kill('SIGSTOP')
  }

  thaw(): void {
    this.program.child.kill('SIGCONT')
  }

  /** Errors in its log. */
  readonly errors = (): string[] => {
    const said = [...this.#before, this.#program?.written.stderr ?? ''].join('\n')
    return said.split('\n').filter((line) => /^\{"level":[56]0,/.test(line))
  }
}
