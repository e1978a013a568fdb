import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { DeviceAuthenticator, Edge } from '#adapters/telephony/guard/authenticate.ts'
import { SourceFilter } from '#adapters/telephony/guard/source-filter.ts'
import { Registrar } from '#adapters/telephony/phone/registrar.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import { StoreUnavailable, type Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { buildRequest, respond, type HeaderLines } from '@offhook/sip/message/build.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import type { Request, Response } from '@offhook/sip/message/message.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { openTestStore, type Database } from '../store/databases.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

/** Source of its phones. */
export const from: Flow = { kind: 'udp', address: '192.0.2.7', port: 5070 }

/** Edge in front of other phones. */
export const edgeFlow: Flow = { kind: 'udp', address: '10.0.0.1', port: 5060 }

interface Register {
  /** Contact values. */
  contacts?: readonly string[]
  headers?: HeaderLines
  method?: string
  to?: string
  cseq?: number
  callId?: string
  from?: Flow
}

/** Client with a user name and a password, right or wrong. */
export class Phone {
  readonly registrar: Registrar
  readonly username: string
  readonly digest: DigestClient
  #cseq = 0

  constructor(registrar: Registrar, username: string, password: string) {
    this.registrar = registrar
    this.username = username
    this.digest = new DigestClient({ username, password })
  }

  /** Sends once, without retry. */
  async say(register: Register = {}): Promise<Response> {
    const { contacts = [], headers = [], to = `<sip:${this.username}@offhook>`, callId = 'c1', cseq = ++this.#cseq } = register
    const uri = 'sip:offhook'
    const lines: HeaderLines = [
      ['Via', 'SIP/2.0/UDP 192.0.2.7:5070;branch=z9hG4bK1'],
      ['From', `<sip:${this.username}@offhook>;tag=1`],
      ['To', to],
      ['Call-ID', callId],
      ['CSeq', `${cseq} REGISTER`],
      ...contacts.map((contact) => ['Contact', contact] as const),
      ...this.digest.authorization('REGISTER', uri),
      ...headers,
    ]
    const request = parseMessage(buildRequest('REGISTER', uri, lines)) as Request
    return new Promise((resolve, reject) => {
      const answered = (status: number, options: { headers?: HeaderLines } = {}): void =>
        resolve(parseMessage(respond(request, status, { toTag: 't', ...options })) as Response)
      this.registrar.answer({ request, from: register.from ?? from, respond: answered }).catch(reject)
    })
  }

  /** Answers one challenge. */
  async register(register: Register = {}): Promise<Response> {
    const first = await this.say(register)
    return first.status === 401 && this.digest.challenged(first) ? this.say(register) : first
  }
}

/** Registrar with an account, a user and a device. */
export interface Office {
  clock: VirtualClock
  store: Store
  vault: Vault
  bans: string[]
  accountId: string
  deviceId: string
  registrar: Registrar
  phone: Phone
  password: string
  bound: () => Promise<string[]>
}

export const openOffice = async (t: TestContext, database: Database = 'sqlite', wrap = (store: Store): Store => store): Promise<Office> => {
  const clock = new VirtualClock()
  const store = await openTestStore(t, database)
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  const { accountId, deviceId } = await store.write(async (tables) => {
    const id = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' })
    const names = { email: 'a@example.com', firstname: 'Ada', lastname: 'L', passwordHash: 'none', admin: true, locale: 'en_US' } as const
    const userId = await createUser(tables, clock, id, names)
    const input = { accountId: id, userId, type: 'REGISTER', alias: 'Desk', actor: userId } as const
    return { accountId: id, deviceId: await createDevice(tables, clock, vault, input) }
  })
  const device = await store.read.devices.find(accountId, deviceId)
  const password = vault.open(device?.sip?.passwordSealed ?? '')
  const bans: string[] = []
  const sourceFilter = new SourceFilter({ clock, trusted: () => false, onBan: (_, why) => bans.push(why) })
  const onError = (error: unknown): void => {
    if (!(error instanceof StoreUnavailable)) throw error
  }
  const seen = wrap(store)
  const edge = new Edge((address) => address === edgeFlow.address)
  const authenticator = new DeviceAuthenticator({
    clock,
    edge,
    store: seen,
    vault,
    sourceFilter,
    realm: 'offhook',
    algorithms: ['SHA-256', 'MD5'],
    onError,
  })
  const registrar = new Registrar({
    clock,
    store: seen,
    authenticator,
    edge,
    isProxy: (address) => edge.isAt({ ...edgeFlow, address }),
    refreshWindowMs: 0,
    onError,
  })
  const bound = async (): Promise<string[]> => {
    const found = await store.read.devices.registrations(accountId, [deviceId], clock.now())
    return (found.get(deviceId) ?? []).map(({ contact }) => contact).toSorted()
  }
  const phone = new Phone(registrar, `${accountId}${deviceId}`, password)
  return { clock, store, vault, bans, accountId, deviceId, registrar, phone, password, bound }
}
