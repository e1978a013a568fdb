import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { addressRules } from '#adapters/address-rules.ts'
import { folderBlobs } from '#adapters/blobs/folder-blobs.ts'
import { recordingFiles } from '#adapters/blobs/recording-files.ts'
import { folderFileStore } from '#adapters/blobs/file-store.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { SipTelephony, type SipTelephonyOptions } from '#adapters/telephony/sip-telephony.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Trunk, TrunkSettings } from '#core/kernel/ports/store/operate.ts'
import type { Dial, IncomingCall, Leg } from '#core/kernel/ports/telephony.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { trunkSettings } from '#core/account/trunks/trunk-settings.ts'
import type { MediaSettings } from '#media/engine.ts'
import { startFaxEngine } from '#media/fax/fax-engine.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { startWebRtc } from '#media/webrtc/webrtc-gateway.ts'
import type { InviteDraft } from '@offhook/sip/session/session.ts'
import { openTestSqlite } from '../store/test-sqlite.ts'
import { startTestMedia } from './media-call.ts'
import { SipPhone, type PhoneCall } from './sip-phone.ts'

export interface OfficeOptions {
  telephony?: Partial<SipTelephonyOptions>
  media?: Partial<MediaSettings>
  /** Vault key: the same for processes of one installation. */
  key?: Buffer
}

const publicOnly = addressRules([])

export const plainDial: Dial = { caller: { number: '+493023125042', name: 'Ada', withheld: false }, diversions: [], hops: 0 }

/** Call that has reached the call router, with the phone that made it. */
export interface ReceivedCall extends IncomingCall {
  phone: SipPhone
  deviceId: string
  /** Phone's side of the call. */
  call: PhoneCall
}

/** Telephone side with one account and without call routing: the test takes the calls. */
export class Office {
  readonly store: Store
  readonly telephony: SipTelephony
  readonly recordings: string
  readonly failures: unknown[] = []
  readonly #vault: Vault
  readonly #t: Scope
  readonly #calls: IncomingCall[] = []
  readonly #waiting: ((call: IncomingCall) => void)[] = []
  #accountId = ''
  #userId = ''

  private constructor(t: Scope, parts: Pick<Office, 'store' | 'telephony' | 'recordings'> & { vault: Vault; failures: unknown[] }) {
    this.#t = t
    this.store = parts.store
    this.telephony = parts.telephony
    this.recordings = parts.recordings
    this.failures = parts.failures
    this.#vault = parts.vault
    this.telephony.onIncoming((call) => {
      const waiting = this.#waiting.shift()
      if (waiting) waiting(call)
      else this.#calls.push(call)
    })
  }

  static async open(t: Scope, { telephony = {}, media = {}, key = randomBytes(32) }: OfficeOptions = {}): Promise<Office> {
    const store = await openTestSqlite(t)
    const vault = await openVault({ key: key.toString('base64'), file: '' })
    const data = await temporaryFolder(t)
    const recordings = join(data, 'recordings')
    const failures: unknown[] = []
    const webrtc = startWebRtc({ mediaAddress: '127.0.0.1', bindAddress: '127.0.0.1' })
    t.after(() => webrtc.close())
    const ports = media.ports ?? new PortPool({ first: 20_000, last: 29_999 })
    const fax = startFaxEngine({ address: '127.0.0.1', ports })
    t.after(() => fax.close())
    const opened = await SipTelephony.open({
      clock: realClock(),
      wallClock: realClock(),
      store,
      vault,
      media: startTestMedia(t, { ports, ...media }),
      webrtc,
      fax,
      recordings: recordingFiles({ fileStore: folderFileStore(folderBlobs(data)), folder: recordings }),
      place: 'test',
      listen: { host: '127.0.0.1', port: 0 },
      digest: ['MD5'],
      trusted: [],
      limitLoopback: false,
      country: 'DE',
      mayReach: (address, port) => publicOnly.allowsAddress(address, port),
      onError: (error) => failures.push(error),
      ...telephony,
    })
    t.after(() => opened.close())
    const office = new Office(t, { store, telephony: opened, recordings, vault, failures })
    await office.#createAccount()
    await opened.start()
    return office
  }

  get server(): string {
    return `127.0.0.1:${this.telephony.port('udp')}`
  }

  get accountId(): string {
    return this.#accountId
  }

  /** Device with the credentials for a phone. */
  async login(): Promise<{ deviceId: string; username: string; password: string }> {
    const { accountId } = this
    const input = { accountId, userId: this.#userId, type: 'REGISTER', alias: 'Phone', actor: 'test' } as const
    const deviceId = await this.store.write((tables) => createDevice(tables, realClock(), this.#vault, input))
    const device = await this.store.read.devices.find(accountId, deviceId)
    return { deviceId, username: device?.sip?.username ?? '', password: this.#vault.open(device?.sip?.passwordSealed ?? '') }
  }

  /** Phone with its own device; registered unless it only calls. */
  async phone({ registered = true, address = '127.0.0.1' } = {}): Promise<{ phone: SipPhone; deviceId: string }> {
    const { deviceId, username, password } = await this.login()
    const phone = await SipPhone.open(this.#t, { server: this.server, address, user: username, password })
    if (registered) await phone.register()
    return { phone, deviceId }
  }

  /** Carrier at this address; `phone` is its side of the line. */
  async carrier(
    address: string,
    input: Partial<TrunkSettings> & { password?: string } = {},
  ): Promise<{ phone: SipPhone; trunkId: string }> {
    const phone = await SipPhone.open(this.#t, { server: this.server, address })
    const { password, ...settings } = input
    const trunk: Trunk = {
      id: `trunk-${address}`,
      name: 'Carrier',
      settings: trunkSettings(
        {
          host: address,
          port: Number(phone.address.split(':')[1]),
          sourceAddresses: [address],
          maxCalls: 100,
          callsPerSecond: 100,
          ...settings,
        },
        { hasPassword: password !== undefined },
      ),
      passwordSealed: password === undefined ? undefined : this.#vault.seal(password),
      active: true,
      createdAt: 0,
      updatedAt: 0,
    }
    await this.store.write((tables) => tables.trunks.insert(trunk))
    await this.telephony.start()
    return { phone, trunkId: trunk.id }
  }

  /** Next call that reaches the call router. */
  incoming(): Promise<IncomingCall> {
    const call = this.#calls.shift()
    return call ? Promise.resolve(call) : new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** A phone of the account, not registered, calls; the test may answer. */
  async receiveCall(to = '+493023125099', draft: Partial<InviteDraft> = {}): Promise<ReceivedCall> {
    const { phone, deviceId } = await this.phone({ registered: false })
    const call = phone.call(to, draft)
    return { ...(await this.incoming()), phone, deviceId, call }
  }

  /** The same, answered. */
  async answerCall(to?: string): Promise<ReceivedCall> {
    const received = await this.receiveCall(to)
    await received.leg.answer()
    await received.call.answered
    return received
  }

  dialDevice(deviceId: string, dial: Partial<Dial> = {}): Promise<Leg[]> {
    return this.telephony.dial({ kind: 'device', accountId: this.accountId, deviceId }, { ...plainDial, ...dial })
  }

  async #createAccount(): Promise<void> {
    const clock = realClock()
    await this.store.write(async (tables) => {
      this.#accountId = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' })
      const names = { email: 'a@example.com', firstname: 'Ada', lastname: 'L', passwordHash: 'none', admin: true, locale: 'en_US' } as const
      this.#userId = await createUser(tables, clock, this.#accountId, names)
    })
  }
}
