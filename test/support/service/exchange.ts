import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createClient, type Client } from '@offhook/sdk'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { offhook, ready, type Program } from '../machine/program.ts'
import { startBaresip, type Phone, type PhoneOptions } from '../peers/baresip.ts'
import { sippSucceeds, type Sipp } from '../peers/sipp.ts'

/** SIP credentials of a phone. */
export interface SipLogin {
  deviceId: string
  user: string
  password: string
}

type TrunkInput = Partial<Parameters<Client['createTrunk']>[1]>

/** The whole service as its users start it: the real program, with the account of the first start. */
export interface Exchange {
  readonly program: Program
  readonly http: string
  /** host:port for phones and trunks. */
  readonly sip: string
  readonly data: string
  readonly operator: Client
  /** Client of the demo account's administrator. */
  readonly admin: Client
  readonly token: string
  readonly accountId: string
  readonly userId: string
  /** Number of the demo flow. */
  readonly demoNumber: string
  /** Device that rings only when called itself: it is removed from its user's lines. */
  newDevice(): Promise<SipLogin>
  /** Number of the demo account, routed to one of its extensions. */
  newNumber(endpointId?: string): Promise<string>
  /** Carrier that calls from this address and accepts calls at `port` there. */
  newTrunk(address: string, input?: TrunkInput): Promise<string>
  /** Phone line with only these devices, without voicemail. */
  newLine(...deviceIds: string[]): Promise<{ lineId: string; number: string }>
  /** Number of a scripted phone: registers the address where `sipp` waits. */
  numberOf(t: Scope, sipp: Sipp, transport?: 'udp' | 'tcp'): Promise<string>
  /** Registered softphone with its own device. */
  newPhone(t: Scope, options: Omit<PhoneOptions, 'user' | 'password' | 'registrar'>): Promise<Phone & { deviceId: string }>
}

/** Pino's levels error and fatal. */
const isError = /^\{"level":[56]0,/
const maxLines = 20

export const startExchange = async (t: Scope, settings: Record<string, string> = {}): Promise<Exchange> => {
  const data = settings.OFFHOOK_DATA ?? (await temporaryFolder(t))
  const program = offhook(t, ['serve'], { OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_DATA: data, OFFHOOK_LOG: 'error', ...settings })
  // Only a test ends the program first; a scope that ends in reverse order would wait forever.
  if (isTest(t)) t.after(async () => reportErrors(t, await program.stderr))
  const { http, sip } = await ready(program)
  return exchangeAt(program, { http, sip: sip.replace('sip:', ''), data, notes: await notesIn(data) })
}

/** Notes of an installation's first start. */
export const notesIn = async (data: string): Promise<FirstRunNotes> =>
  JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRunNotes

/** The same for something other than one process. */
export const exchangeAt = (program: Program, whereabouts: CallLocation): Exchange => new StartedExchange(program, whereabouts)

const isTest = (t: Scope): t is TestContext => 'diagnostic' in t

/** Errors of the service often explain why a test failed. */
const reportErrors = (t: TestContext, log: string): void => {
  const lines = log.split('\n').filter((line) => isError.test(line))
  for (const line of lines.slice(0, maxLines)) t.diagnostic(`the service: ${line}`)
}

export interface CallLocation {
  http: string
  sip: string
  data: string
  notes: FirstRunNotes
}

class StartedExchange implements Exchange {
  readonly program: Program
  readonly http: string
  readonly sip: string
  readonly data: string
  readonly operator: Client
  readonly admin: Client
  readonly token: string
  readonly accountId: string
  readonly userId = 'w0'
  readonly demoNumber: string
  #numbers = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(program: Program, { http, sip, data, notes }: CallLocation) {
    this.program = program
    this.http = http
    this.sip = sip
    this.data = data
    this.operator = createClient({ baseUrl: http, token: notes.operator.token })
    this.token = notes.token ?? ''
    this.admin = createClient({ baseUrl: http, token: this.token })
    this.accountId = notes.accountId ?? ''
    this.demoNumber = notes.number ?? ''
  }

  newDevice(): Promise<SipLogin> {
    return this.#sequential(() => this.#newDevice())
  }

  /** New devices and new lines are joined automatically, so tests that separate them run one after the other. */
  #sequential<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  async #newDevice(): Promise<SipLogin> {
    const { userId } = this
    const { id: deviceId, credentials, activePhonelines } = await this.admin.createRegisterDevice({ userId }, { alias: 'Phone' })
    for (const { id } of activePhonelines) await this.admin.removePhonelineDevice({ userId, phonelineId: id, deviceId })
    return { deviceId, user: credentials.username, password: credentials.password }
  }

  async newNumber(endpointId?: string): Promise<string> {
    const [address] = (await this.admin.listAddresses()).items
    const e164 = `+4930901820${String(this.#numbers++).padStart(2, '0')}`
    const { id } = await this.operator.assignNumber({}, { accountId: this.accountId, number: e164, addressId: address?.id ?? '' })
    if (endpointId !== undefined) await this.admin.changeNumber({ numberId: id }, { endpointId })
    return e164
  }

  async newTrunk(address: string, input: TrunkInput = {}): Promise<string> {
    const limits = { maxCalls: 10_000, callsPerSecond: 100 }
    const trunk = { name: 'Carrier', host: address, sourceAddresses: [address], ...limits, ...input }
    return (await this.operator.createTrunk({}, trunk)).id
  }

  newLine(...deviceIds: string[]): Promise<{ lineId: string; number: string }> {
    return this.#sequential(() => this.#newLine(deviceIds))
  }

  async #newLine(deviceIds: string[]): Promise<{ lineId: string; number: string }> {
    const { userId } = this
    const { id: lineId } = await this.admin.createPhoneline({ userId }, { alias: 'Line' })
    const line = { userId, phonelineId: lineId }
    const others = (await this.admin.listPhonelineDevices(line)).items.filter(({ id }) => !deviceIds.includes(id))
    for (const { id } of others) await this.admin.removePhonelineDevice({ ...line, deviceId: id })
    for (const deviceId of deviceIds) await this.admin.addPhonelineDevice(line, { deviceId })
    for (const { id } of (await this.admin.listPhonelineVoicemails(line)).items)
      await this.admin.changePhonelineVoicemail({ ...line, voicemailId: id }, { active: false })
    return { lineId, number: await this.newNumber(lineId) }
  }

  async numberOf(t: Scope, peer: Sipp, transport: 'udp' | 'tcp' = 'udp'): Promise<string> {
    const login = await this.newDevice()
    const contact = `sip:${login.user}@${peer.address};transport=${transport}`
    const keys = { from: login.user, domain: this.sip, contact, expires: '600' }
    await sippSucceeds(t, { scenario: 'phone-register', target: this.sip, login, keys, transport })
    return (await this.newLine(login.deviceId)).number
  }

  async newPhone(t: Scope, options: Omit<PhoneOptions, 'user' | 'password' | 'registrar'>): Promise<Phone & { deviceId: string }> {
    const { deviceId, user, password } = await this.newDevice()
    const phone = await startBaresip(t, { ...options, user, password, registrar: this.sip })
    await phone.event('REGISTER_OK')
    return Object.assign(phone, { deviceId })
  }
}
