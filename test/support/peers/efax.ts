import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realClock } from '#adapters/clock/clocks.ts'
import { Transports } from '#adapters/telephony/transport/transports.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { OfferReply, Session, SessionObserver } from '@offhook/sip/session/session.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingInvite } from '@offhook/sip/user-agent/user-agent-options.ts'
import type { FaxPage } from '../fax/fax-pages.ts'
import { describeMedia } from '../fax/t38-ways.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { EfaxModem, type ModemNotice } from './efax-modem.ts'
import { startPeer, until, type PeerProcess } from '../machine/peer-process.ts'

export interface EfaxOptions {
  /** host:port of the service to call, and to register with a password. Not needed for a machine behind a trunk that only receives. */
  server?: string
  user?: string
  password?: string
  /** Station id. */
  station?: string
}

export interface EfaxEnd {
  /** efax exit code: 0 if all pages went through. Undefined if it was killed. */
  code: number | undefined
  /** Received pages: one TIFF per started page, in order. */
  files: readonly string[]
  /** Output, for failures. */
  log: string
}

/** One fax, from the ringing to the end of efax. */
export interface EfaxCall {
  /** Resolves when this page, counted from 1, has started: earlier pages are confirmed. */
  page(number: number, ms?: number): Promise<void>
  /** Pulls the plug: no more packets, and no BYE. */
  kill(): Promise<void>
  readonly ended: Promise<EfaxEnd>
}

/** Debian's fax program behind a test telephone: SIP, RTP with G.711, no T.38 (offers of it get 488). */
export interface Efax {
  /** host:port for calls over UDP, for a trunk. Accepts any number. */
  readonly address: string
  register(): Promise<void>
  /** Answers only the next call. Otherwise callers get 486. */
  receive(): EfaxCall
  /** Calls the service, and sends these pages. */
  send(dialled: string, pages: readonly FaxPage[]): EfaxCall
}

/** Fine resolution, 14400 bit/s, any length, one dimension, no error correction: the maximum of efax. */
const abilities = '1,5,0,2,0,0,0,0'
const pageMs = 120_000

export const startEfax = async (t: Scope, options: EfaxOptions = {}): Promise<Efax> => {
  let phone: EfaxPhone | undefined
  const transports = await Transports.open({
    clock: realClock(),
    listen: { host: '127.0.0.1', port: 0 },
    onMessage: (message, from) => phone?.agent.receive(message, from),
    onClosed: () => {},
  })
  const opened = new EfaxPhone(t, options, transports)
  phone = opened
  t.after(() => opened.close())
  return opened
}

class EfaxPhone implements Efax {
  readonly agent: UserAgent
  readonly #t: Scope
  readonly #options: EfaxOptions
  readonly #transports: Transports
  readonly #digest: DigestClient | undefined
  #waiting: EfaxRun | undefined

  constructor(t: Scope, options: EfaxOptions, transports: Transports) {
    const { user = 'fax', password } = options
    this.#t = t
    this.#options = options
    this.#transports = transports
    this.#digest = password === undefined ? undefined : new DigestClient({ username: user, password })
    this.agent = new UserAgent({
      clock: realClock(),
      transport: transports,
      product: 'Test fax',
      resolve: async (uri) => [{ kind: 'udp', address: uri.host, port: uri.port ?? 5060 }],
      onInvite: (invite) => this.#ringing(invite),
      onRequest: (incoming) => incoming.respond(200),
    })
  }

  get address(): string {
    return `127.0.0.1:${this.#transports.port('udp')}`
  }

  async register(): Promise<void> {
    const { server = '', user = 'fax' } = this.#options
    const own = `<sip:${user}@${server}>`
    const draft = { method: 'REGISTER', uri: `sip:${server}`, from: own, to: own, contactUser: user, digest: this.#digest }
    const { status } = await this.agent.request({ ...draft, headers: [['Expires', '600']] })
    if (status !== 200) throw new Error(`registration got ${status}`)
  }

  receive(): EfaxCall {
    const run = new EfaxRun(this.#t, ['-r', 'page'], this.#options.station)
    this.#waiting = run
    return run
  }

  send(dialled: string, pages: readonly FaxPage[]): EfaxCall {
    const { server = '', user = 'fax' } = this.#options
    const files = pages.map((_, index) => `sent-${index + 1}.pbm`)
    const run = new EfaxRun(this.#t, ['-h', '', '-t', `T${dialled}`, ...files], this.#options.station)
    run.prepare = async (folder) => {
      for (const [index, page] of pages.entries()) await writeFile(join(folder, files[index] ?? ''), portableBitmap(page))
    }
    const draft = { uri: `sip:${dialled}@${server}`, from: `<sip:${user}@${server}>`, digest: this.#digest }
    run.dial = (sdp, observer) => this.agent.invite({ ...draft, sdp }, observer)
    void run.start()
    return run
  }

  #ringing(invite: IncomingInvite): void {
    const run = this.#waiting
    this.#waiting = undefined
    if (run) run.ring(invite)
    else invite.session.reject(486)
  }

  async close(): Promise<void> {
    await this.agent.close(AbortSignal.timeout(1000))
    await this.#transports.close()
  }
}

const portableBitmap = ({ width, height, bits }: FaxPage): Buffer => Buffer.concat([Buffer.from(`P4\n${width} ${height}\n`), bits])

/** Modem with efax, and their call. */
class EfaxRun implements EfaxCall {
  readonly ended: Promise<EfaxEnd>
  prepare: (folder: string) => Promise<void> = async () => {}
  dial: ((sdp: string, observer: SessionObserver) => Session) | undefined
  readonly #t: Scope
  readonly #args: readonly string[]
  readonly #end = Promise.withResolvers<EfaxEnd>()
  #folder = ''
  #modem: EfaxModem | undefined
  #efax: PeerProcess | undefined
  #session: Session | undefined
  #invite: IncomingInvite | undefined
  #killed = false
  #dataRuns = 0

  constructor(t: Scope, args: readonly string[], station = '+49 30 9998') {
    this.#t = t
    this.#args = ['-o1', '-v', 'ewin', '-l', station, '-c', abilities, ...args]
    this.ended = this.#end.promise
  }

  /** Starts efax only now that there is a call to answer: it would not wait. */
  ring(invite: IncomingInvite): void {
    this.#invite = invite
    this.#session = invite.session
    invite.session.observe(this.#observer)
    void invite.session.progress(180)
    void this.start()
  }

  async start(): Promise<void> {
    try {
      const folder = await temporaryFolder(this.#t)
      await mkdir(join(folder, 'pages'))
      this.#folder = join(folder, 'pages')
      await this.prepare(this.#folder)
      const modem = await EfaxModem.start(this.#t, folder)
      this.#modem = modem
      modem.onNotice = (notice) => this.#wanted(notice)
      const efax = startPeer(this.#t, 'efax', ['-d', modem.terminal, ...this.#args], this.#folder)
      this.#efax = efax
      const code = await efax.ended
      await this.#ended(this.#killed ? undefined : (code ?? undefined))
    } catch (error) {
      this.#end.reject(error)
    }
  }

  async page(number: number, ms = pageMs): Promise<void> {
    // The first one is the channel check.
    await until(`page ${number} of efax`, () => this.#dataRuns > number || undefined, ms)
  }

  async kill(): Promise<void> {
    this.#killed = true
    await this.#efax?.stop()
    await this.#modem?.kill()
  }

  async #received(): Promise<string[]> {
    const names = this.#folder === '' ? [] : await readdir(this.#folder)
    return names
      .filter((name) => name.startsWith('page.'))
      .toSorted()
      .map((name) => join(this.#folder, name))
  }

  async #ended(code: number | undefined): Promise<void> {
    if (!this.#killed) await this.#session?.end()
    await this.#modem?.kill()
    this.#end.resolve({ code, files: await this.#received(), log: this.#efax?.output() ?? '' })
  }

  #wanted(notice: ModemNotice): void {
    if (notice.tell === 'answer') void this.#answer()
    else if (notice.tell === 'dial') this.#session = this.dial?.(this.#sdp(), this.#observer)
    else if (notice.tell === 'data') this.#dataRuns++
    else if (notice.tell === 'hung up') void this.#session?.end()
  }

  async #answer(): Promise<void> {
    if (this.#invite?.sdp !== undefined) this.#talkTo(this.#invite.sdp)
    if (await this.#session?.accept({ sdp: this.#sdp() })) this.#modem?.notify({ do: 'event', event: 'answered' })
  }

  readonly #observer: SessionObserver = {
    answered: (sdp) => {
      if (sdp !== undefined) this.#talkTo(sdp)
      this.#modem?.notify({ do: 'event', event: 'connected' })
    },
    offered: (sdp) => this.#reoffered(sdp),
    ended: ({ status }) => {
      const event = status === undefined ? 'hung up' : status === 486 ? 'busy' : 'no answer'
      if (!this.#killed) this.#modem?.notify({ do: 'event', event })
    },
  }

  #reoffered(sdp: string | undefined): OfferReply {
    const isAudio = sdp !== undefined && parseSdp(sdp).media[0]?.kind === 'audio'
    if (sdp !== undefined && !isAudio) return { status: 488 }
    if (sdp !== undefined) this.#talkTo(sdp)
    return { sdp: this.#sdp() }
  }

  #talkTo(sdp: string): void {
    const [audio] = parseSdp(sdp).media
    if (!audio?.connection) return
    const remote = { address: audio.connection.address, port: audio.port }
    this.#modem?.notify({ do: 'configure', settings: { remote, alsoFrom: [], codec: 'PCMA' } })
  }

  #sdp(): string {
    return describeMedia(`m=audio ${this.#modem?.port ?? 0} RTP/AVP 8`, 'a=rtpmap:8 PCMA/8000')
  }
}
