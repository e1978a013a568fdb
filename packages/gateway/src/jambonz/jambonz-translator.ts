import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { ForeignEnd, Translator, TranslatorParts } from '../gateway.ts'
import { JambonzLine, type JambonzCommand } from './jambonz-line.ts'
import { JambonzRun } from './jambonz-run.ts'
import { TokenStream } from './token-stream.ts'
import { readVerbs } from './jambonz-verbs.ts'

/** After these the caller waits for an answer. */
const awaited: readonly LiveEvent['type'][] = ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed']

/** A flow whose WebSocket address is an application for jambonz. */
export class JambonzTranslator implements Translator {
  readonly #deps: TranslatorParts
  #resumed = false
  #line: JambonzLine | undefined
  #run: JambonzRun | undefined
  #tokens: TokenStream | undefined
  #ended = false

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** The first event opens the connection, whichever it is: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return void (this.#resumed = event.last_sequence > 0)
    if (event.type === 'session_end') return this.#end()
    if (!this.#run) await this.#open(event)
    this.#tokens?.take(event)
    const meant = this.#run?.take(event) ?? false
    if (!meant && awaited.includes(event.type)) this.#deps.service.act({ type: 'done' })
  }

  close(): void {
    this.#ended = true
    this.#run?.close()
    this.#line?.close()
  }

  async #open({ session, turn = 0 }: LiveEvent): Promise<void> {
    const line = new JambonzLine({
      ...this.#deps,
      session,
      onCommand: (command) => this.#command(command),
      onClosed: (end) => this.#closed(end),
    })
    this.#line = line
    await line.open()
    this.#tokens = new TokenStream(this.#deps.service, line, turn)
    const run = new JambonzRun({ ...this.#deps, line })
    this.#run = run
    const verbs = await line.ask(this.#resumed ? 'session:reconnect' : 'session:new')
    run.replace(verbs ?? [])
    line.status('in-progress')
  }

  #end(): void {
    this.#line?.status('completed')
    this.close()
  }

  #command({ command, data, queued }: JambonzCommand): void {
    if (command === 'redirect') return queued ? this.#run?.append(readVerbs(data)) : this.#run?.replace(readVerbs(parentOf(data)))
    if (this.#tokens?.command(command, data)) return
    this.#deps.service.problem(`The command ${command.slice(0, 40)} is not supported`)
  }

  /** A broken connection is opened again; an application that says goodbye has hung up. */
  #closed(end: ForeignEnd): void {
    if (this.#ended) return
    this.#run?.close()
    if (end.left) this.#deps.service.act({ type: 'hangup' })
    else this.#deps.service.lost(end)
  }
}

/** For both legs of a call, of which we have one. */
const parentOf = (data: unknown): unknown => (typeof data === 'object' && data !== null && 'parent_call' in data ? data.parent_call : data)
