import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { topUp } from '#core/money/funds.ts'
import { openTariff } from '#core/money/open-tariff.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { trunkSettings } from '#core/account/trunks/trunk-settings.ts'
import { Pacer } from './pacer.ts'
import { Phone } from './phone.ts'
import { SipEnd } from './sip-end.ts'
import { Voice } from './voice.ts'
import type { Service } from './whole-service.ts'

const carrierAddress = '127.0.0.2'
/** Frequencies above the music and within the telephone band; two packets hold a whole number of periods. */
const [lowestHz, stepHz, places] = [1_075, 25, 93]
/** Keeps tones of parties in the same call far apart. */
const stride = 37
const wealth = 50_000_000
const trunkLimitMs = 30_000

/** User at a phone: of an account, with a token of their own, or external. */
export interface Person {
  name: string
  accountId: string | undefined
  userId: string
  token: string
  phone: Phone
}

/** Registered phones of two accounts and of external parties, each with a unique tone. */
export class Fleet {
  readonly service: Service
  readonly pacer: Pacer
  /** The tones of all parties. */
  readonly tones: number[] = []
  readonly #t: TestContext
  readonly #outsiders = new Map<string, Phone>()
  #carrier: SipEnd | undefined
  #numbers = 0

  constructor(t: TestContext, service: Service) {
    this.#t = t
    this.service = service
    this.pacer = new Pacer(t)
  }

  get #server(): string {
    return this.service.running.sip.replace('sip:', '')
  }

  newTone(): number {
    if (this.tones.length === places) throw new Error('no tone is left')
    const hz = lowestHz + ((this.tones.length * stride) % places) * stepHz
    this.tones.push(hz)
    return hz
  }

  /** Creates an account with a balance. */
  newAccount(): Promise<string> {
    const { clock, running } = this.service
    return running.deps.store.write(async (tables) => {
      const tariffId = await openTariff(tables, clock, { currency: 'EUR' })
      const accountId = await createAccount(tables, clock, {
        company: 'Example',
        country: 'DE',
        locale: 'en_US',
        currency: 'EUR',
        tariffId,
      })
      await topUp(tables, clock, { accountId, amount: wealth, reason: 'cash', idempotencyKey: randomUUID(), actor: 'test' })
      return accountId
    })
  }

  /** User with a line, a number and a phone; the line's voicemail is off. */
  async newPerson(accountId: string, name: string): Promise<Person> {
    const number = this.#nextNumber('+49211555')
    const made = await this.service.running.deps.store.write((tables) => this.#enter(tables, accountId, name, number))
    const end = await SipEnd.open(this.#t, { server: this.#server, user: made.user, password: made.password })
    await end.register()
    const phone = await this.#newPhone(end, name, number, '127.0.0.1')
    end.onCall = (call) => phone.ring(call)
    return { name, accountId, userId: made.userId, token: made.token, phone }
  }

  /** Party in another network. */
  async newOutsider(name: string): Promise<Person> {
    const number = this.#nextNumber('+49301234')
    const end = (this.#carrier ??= await this.#openCarrier())
    const phone = await this.#newPhone(end, name, number, carrierAddress, number)
    this.#outsiders.set(number, phone)
    return { name, accountId: undefined, userId: '', token: '', phone }
  }

  async #newPhone(end: SipEnd, name: string, number: string, address: string, as?: string): Promise<Phone> {
    const voice = await Voice.open(this.#t, this.pacer, address, this.newTone())
    return new Phone(end, { name, number, voice, ...(as !== undefined && { as }) })
  }

  #nextNumber(start: string): string {
    return `${start}${String(++this.#numbers).padStart(4, '0')}`
  }

  async #enter(tables: Tables, accountId: string, name: string, number: string) {
    const { clock, running } = this.service
    const { vault } = running.deps
    const names = { firstname: name, lastname: 'Test', email: `${randomUUID()}@example.com` }
    const userId = await createUser(tables, clock, accountId, { ...names, passwordHash: 'none', admin: false, locale: 'en_US' })
    const [line] = await tables.phonelines.list(accountId, userId)
    const endpointId = line?.id ?? ''
    await tables.numbers.insert(accountId, { id: randomUUID(), e164: number, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0, endpointId })
    for (const { id } of await tables.voicemails.listByOwner(accountId, endpointId))
      await tables.voicemails.update(accountId, id, { active: false })
    const deviceId = await createDevice(tables, clock, vault, { accountId, userId, type: 'REGISTER', alias: 'Phone', actor: 'test' })
    const device = await tables.devices.find(accountId, deviceId)
    const token = await issueToken(tables, clock, { kind: 'session', holder: { accountId, userId }, subject: userId, scopes: ['all'] })
    return { userId, token, user: device?.sip?.username ?? '', password: vault.open(device?.sip?.passwordSealed ?? '') }
  }

  async #openCarrier(): Promise<SipEnd> {
    const end = await SipEnd.open(this.#t, { server: this.#server, user: 'carrier', address: carrierAddress })
    end.onCall = (call, dialled) => {
      const phone = this.#outsiders.get(dialled)
      if (phone) phone.ring(call)
      else call.refuse(404)
    }
    const port = Number(end.address.split(':')[1])
    const input = { host: carrierAddress, port, sourceAddresses: [carrierAddress], maxCalls: 1_000, callsPerSecond: 1_000 }
    const settings = trunkSettings(input, { hasPassword: false })
    const trunk = { id: randomUUID(), name: 'Carrier', settings, passwordSealed: undefined, active: true, createdAt: 0, updatedAt: 0 }
    await this.service.running.deps.store.write((tables) => tables.trunks.insert(trunk))
    const { trunkStates } = this.service.running.deps
    await this.pacer.until(() => trunkStates.of(trunk.id)?.usable ?? false, trunkLimitMs)
    return end
  }
}
