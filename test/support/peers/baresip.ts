import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { freePorts } from '../machine/free-ports.ts'
import { startPeer, timeoutMs, until, type PeerProcess } from '../machine/peer-process.ts'
import { within } from '../machine/within.ts'
import { ToneCounter } from '../sound/tones.ts'
import { readWav, writeTone, type Wav } from '../sound/wav.ts'

export interface PhoneOptions {
  user: string
  /** With a password it registers at `registrar`; without one it is called directly. */
  password?: string
  /** host:port of the service. */
  registrar?: string
  transport?: 'udp' | 'tcp' | 'tls'
  /** Tone that it sends all the time (0 for silence), in Hz. */
  tone?: number
  /** WAV file that it plays from the start of each call, instead of a tone. */
  says?: string
  /** Codecs such as `PCMA/8000/1`; the first is preferred. */
  codecs?: string
  /** Sample rate of the simulated sound card; must match the codec for clean tones. */
  rate?: number
  encryption?: 'srtp' | 'srtp-mand'
  answer?: 'auto' | 'manual'
  /** SIP address that `write` sends to. */
  writesTo?: string
  /** Logs every SIP message. */
  traced?: boolean
  registerEverySeconds?: number
  /** Source address of its SIP messages; default 127.0.0.1. */
  listens?: string
  /** Address in its SDP, though it may send from another one. */
  names?: string
  /** baresip's own choice of addresses and ports, as after `baresip -f folder`, which writes a default configuration. */
  usesDefaultNetwork?: boolean
  /** Subscribes to MWI, and logs notifications. */
  mwi?: boolean
}

export interface PhoneEvent {
  type: string
  param?: string
  peeruri?: string
  direction?: string
}

/** Third-party softphone without screen and sound card: sends a tone and records received sound. */
export interface Phone {
  readonly user: string
  readonly uri: string
  dial(to: string): Promise<void>
  accept(): Promise<void>
  /** Accepts the next call when it rings. Returns its ringing event. */
  answer(): Promise<PhoneEvent>
  hangUp(): Promise<void>
  hold(): Promise<void>
  resume(): Promise<void>
  transfer(to: string): Promise<void>
  press(digits: string): Promise<void>
  /** Plays this WAV file from now on. */
  says(file: string): Promise<void>
  /** Sends a text to `writesTo`. */
  write(text: string): Promise<void>
  /** Removes its account: it unregisters. */
  leave(): Promise<void>
  /** Next event of this type not yet taken, past ones included. */
  event(type: string, ms?: number): Promise<PhoneEvent>
  /** Events so far, taken or not. */
  events(): readonly PhoneEvent[]
  /** Received sound, one recording per call, the newest last. */
  heard(): Promise<Wav[]>
  /** Resolves when the newest call's recording contains enough of a tone. */
  hears(hz: number, seconds: number, ms?: number): Promise<void>
  /** Log, for failures. */
  log(): string
  stop(): Promise<void>
}

/** Ports of one phone: SIP, TLS (always the next), control, then RTP. */
const rtpPorts = 20
const toneSeconds = 60

export const startBaresip = async (t: Scope, options: PhoneOptions): Promise<Phone> => {
  const folder = await temporaryFolder(t)
  const sipPort = await freePorts(t, 4 + rtpPorts)
  const { rate = 8000, tone = 440, says = join(folder, 'tone.wav') } = options
  await mkdir(join(folder, 'heard'))
  if (options.says === undefined) await writeTone(says, { hz: tone, seconds: toneSeconds, rate })
  await writeFile(join(folder, 'config'), configuration(folder, says, sipPort, { ...options, rate }))
  await writeFile(join(folder, 'accounts'), '')
  await writeFile(join(folder, 'contacts'), options.writesTo === undefined ? '' : `"Friend" <${options.writesTo}>\n`)
  const peer = startPeer(t, 'baresip', ['-4', '-f', folder, '-v', ...(options.traced === true ? ['-s'] : [])], folder)
  const control = await Control.open(peer, sipPort + 2)
  t.after(() => control.close())
  await control.command('uanew', account(options, sipPort))
  return new Baresip(options, sipPort, folder, peer, control)
}

/** Sets every value, because baresip looks for missing ones under the home folder. */
const configuration = (
  folder: string,
  says: string,
  sipPort: number,
  { rate, mwi = false, ...options }: PhoneOptions & { rate: number },
): string =>
  [
    'poll_method epoll',
    ...(options.usesDefaultNetwork === true ? [] : network(sipPort, options)),
    'call_local_timeout 120',
    'call_max_calls 20',
    'audio_player aubridge,sink',
    `audio_source aufile,${says}`,
    `audio_alert aufile,${says}`,
    `ausrc_srate ${rate}`,
    `auplay_srate ${rate}`,
    'ausrc_channels 1',
    'auplay_channels 1',
    'ausrc_format s16',
    'auplay_format s16',
    'auenc_format s16',
    'audec_format s16',
    'audio_buffer 20-160',
    'jitter_buffer_delay 2-10',
    'module_path /usr/lib/baresip/modules',
    ...['g711', 'g722', 'opus', 'sndfile', 'aufile', 'aubridge', 'srtp'].map((name) => `module ${name}.so`),
    ...['uuid', 'account'].map((name) => `module_tmp ${name}.so`),
    ...['menu', 'contact', 'ctrl_tcp', ...(mwi ? ['mwi'] : [])].map((name) => `module_app ${name}.so`),
    `ctrl_tcp_listen 127.0.0.1:${sipPort + 2}`,
    `snd_path ${folder}/heard`,
    'menu_bell no',
    '',
  ].join('\n')

const network = (sipPort: number, { listens = '127.0.0.1', names = '127.0.0.1' }: PhoneOptions): string[] => [
  `sip_listen ${listens}:${sipPort}`,
  `net_interface ${names}`,
  `rtp_ports ${sipPort + 4}-${sipPort + 3 + rtpPorts}`,
]

const account = (options: PhoneOptions, sipPort: number): string => {
  const { user, password, registrar, transport = 'udp', codecs = 'PCMA/8000/1', encryption, answer = 'manual' } = options
  const registers = password !== undefined && registrar !== undefined
  return [
    registers ? `<sip:${user}@${registrar};transport=${transport}>` : `<sip:${user}@127.0.0.1:${sipPort}>`,
    ...(registers ? [`auth_user=${user}`, `auth_pass=${password}`, `outbound="sip:${registrar};transport=${transport}"`] : []),
    `regint=${registers ? (options.registerEverySeconds ?? 60) : 0}`,
    `audio_codecs=${codecs}`,
    `answermode=${answer}`,
    'dtmfmode=rtpevent',
    ...(encryption ? [`mediaenc=${encryption}`] : []),
  ].join(';')
}

interface Reply {
  ok: boolean
  data: string
  token: string
}

/** baresip's control connection: JSON in netstrings, responses by token, events in between. */
class Control {
  readonly events: PhoneEvent[] = []
  readonly #socket: Socket
  readonly #waiting = new Map<string, (reply: Reply) => void>()
  readonly #taken = new Set<PhoneEvent>()
  #tokens = 0
  #received = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', () => {}).on('data', (bytes) => this.#receive(bytes))
  }

  static async open(peer: PeerProcess, port: number): Promise<Control> {
    const socket = await until('control port of baresip', async () => {
      if (!peer.running()) throw new Error(`baresip ended early: ${peer.output()}`)
      return connected(port)
    })
    return new Control(socket)
  }

  async command(command: string, params = ''): Promise<string> {
    const token = String(++this.#tokens)
    const replied = new Promise<Reply>((resolve) => this.#waiting.set(token, resolve))
    const text = JSON.stringify({ command, params, token })
    this.#socket.write(`${Buffer.byteLength(text)}:${text},`)
    const { ok, data } = await within(timeoutMs, `baresip's answer to ${command}`, replied)
    if (!ok) throw new Error(`baresip refuses ${command} ${params}: ${data}`)
    return data
  }

  async next(type: string, ms: number): Promise<PhoneEvent> {
    const found = await until(
      `${type} (so far: ${this.events.map((event) => event.type).join(' ')})`,
      () => this.events.find((event) => event.type === type && !this.#taken.has(event)),
      ms,
    )
    this.#taken.add(found)
    return found
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes])
    for (;;) {
      const colon = this.#received.indexOf(':')
      const end = colon + 1 + Number(this.#received.toString('latin1', 0, Math.max(0, colon)))
      if (colon < 0 || this.#received.length < end + 1) return
      const message = JSON.parse(this.#received.toString('utf8', colon + 1, end)) as PhoneEvent & Reply & { event?: boolean }
      this.#received = this.#received.subarray(end + 1)
      if (message.event === true) this.events.push(message)
      else this.#waiting.get(message.token)?.(message)
    }
  }
}

const connected = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })

class Baresip implements Phone {
  readonly user: string
  readonly uri: string
  readonly #addressOfRecord: string
  readonly #folder: string
  readonly #peer: PeerProcess
  readonly #control: Control

  constructor({ user, registrar }: PhoneOptions, sipPort: number, folder: string, peer: PeerProcess, control: Control) {
    this.user = user
    this.uri = `sip:${user}@127.0.0.1:${sipPort}`
    this.#addressOfRecord = registrar === undefined ? this.uri : `sip:${user}@${registrar}`
    this.#folder = join(folder, 'heard')
    this.#peer = peer
    this.#control = control
  }

  async dial(to: string): Promise<void> {
    await this.#control.command('dial', to)
  }

  async accept(): Promise<void> {
    await this.#control.command('accept')
  }

  async answer(): Promise<PhoneEvent> {
    const rang = await this.event('CALL_INCOMING')
    await this.accept()
    return rang
  }

  async hangUp(): Promise<void> {
    await this.#control.command('hangup')
  }

  async hold(): Promise<void> {
    await this.#control.command('hold')
  }

  async resume(): Promise<void> {
    await this.#control.command('resume')
  }

  async transfer(to: string): Promise<void> {
    await this.#control.command('transfer', to)
  }

  async press(digits: string): Promise<void> {
    for (const digit of digits) await this.#control.command('sndcode', digit)
  }

  async says(file: string): Promise<void> {
    await this.#control.command('ausrc', `aufile,${file}`)
  }

  async write(text: string): Promise<void> {
    await this.#control.command('message', text)
  }

  async leave(): Promise<void> {
    await this.#control.command('uadel', this.#addressOfRecord)
  }

  event(type: string, ms = timeoutMs): Promise<PhoneEvent> {
    return this.#control.next(type, ms)
  }

  events(): readonly PhoneEvent[] {
    return this.#control.events
  }

  async heard(): Promise<Wav[]> {
    return Promise.all((await this.#recordings()).map(readWav))
  }

  async hears(hz: number, seconds: number, ms = 2 * timeoutMs): Promise<void> {
    const counter = new ToneCounter(hz)
    const call = (await this.#recordings()).length
    try {
      await until('the tone', async () => (await this.#listen(counter, call)) >= seconds, ms)
    } catch (error) {
      throw new Error(`${this.user} hears ${hz} Hz for ${counter.seconds} s instead of ${seconds} s`, { cause: error })
    }
  }

  async #listen(counter: ToneCounter, call: number): Promise<number> {
    const file = (await this.#recordings())[Math.max(0, call - 1)]
    if (file === undefined) return 0
    const { channels, rate } = await readWav(file)
    return counter.count(channels[0] ?? new Float32Array(), rate)
  }

  async #recordings(): Promise<string[]> {
    const files = (await readdir(this.#folder)).filter((name) => name.endsWith('-dec.wav')).toSorted()
    return files.map((name) => join(this.#folder, name))
  }

  log(): string {
    return this.#peer.output()
  }

  stop(): Promise<void> {
    return this.#peer.stop('SIGTERM')
  }
}
