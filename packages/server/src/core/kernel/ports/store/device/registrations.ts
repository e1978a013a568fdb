export interface Registration {
  /** The URI where the phone wants its calls, as it wrote it. */
  contact: string
  /** Route values that lead there through proxies (RFC 3327), separated by commas; mostly empty. */
  path: string
  /** The phone's preference among its contacts, as it wrote it; empty when it has none. */
  q: string
  /** Where the phone sent it from. */
  ip: string
  /** Our edge that passed it on, and where calls for the phone go: `udp:10.0.0.1:5060`; empty for phones that reach this process themselves. */
  via: string
  /** Where the phone itself was seen, in front of proxies of ours; empty when they do not say. */
  origin: string
  port: number
  transport: string
  userAgent: string
  callId: string
  cseq: number
  expiresAt: number
}

export interface RegisteredFlow {
  address: string
  port: number
  kind: string
}

export interface SipIdentity {
  accountId: string
  deviceId: string
  passwordSealed: string
}

/** A phone says again what it said before: nothing but its time is new. */
export interface Refresh {
  /** Who it is, as far as this process remembers: if that is not so any more, nothing is renewed. */
  identity: SipIdentity
  registration: Registration
}

/** Where phones are at this moment. A registration expires by its time, without a write. */
export interface Registrations {
  /** Not found when its user or account is gone. */
  findBySipUsername(username: string): Promise<SipIdentity | undefined>
  /** Adds or renews. False for a request that was overtaken by a newer one of the same phone (RFC 3261 §10.3). */
  register(accountId: string, deviceId: string, registration: Registration, now: number): Promise<boolean>
  /** Of many phones at once. Each gets all bindings of its device, or undefined when this is no mere refresh: then nothing is renewed. */
  refresh(list: readonly Refresh[], now: number): Promise<(Registration[] | undefined)[]>
  /** One contact, or all of the device. */
  unregister(accountId: string, deviceId: string, contact?: string): Promise<void>
  /** Of all accounts: they end so much later, because the clock that they go by was set. */
  moveRegistrations(ms: number): Promise<void>
  /** Unexpired ones of each of these devices; devices without one are absent. */
  registrations(accountId: string, deviceIds: readonly string[], now: number): Promise<Map<string, Registration[]>>
  /** Where all phones sent their registrations from that are unexpired, of all accounts. */
  registeredFlows(now: number): Promise<RegisteredFlow[]>
  /** How many are unexpired, of all accounts. */
  countRegistrations(now: number): Promise<number>
}
