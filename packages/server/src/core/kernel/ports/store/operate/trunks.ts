import type { numberFormats, transports, trunkCodecs } from '@offhook/contract/operator/trunks.ts'

/** How we and a carrier talk to each other; kept as one document, so that settings can be added without a migration. */
export interface TrunkSettings {
  host: string
  port: number
  transport: (typeof transports)[number]
  /** host, host:port or host:port;transport=tcp; empty: none. Missing in what was written before there was one. */
  outboundProxy?: string
  username: string
  realm: string
  register: boolean
  registerSeconds: number
  sourceAddresses: string[]
  /** Where its sound may come from besides where its SDP and its messages do. */
  mediaAddresses: string[]
  numberFormat: (typeof numberFormats)[number]
  /** E.164; empty: none. */
  defaultNumber: string
  codecs: (typeof trunkCodecs)[number][]
  maxCalls: number
  /** Not even for a moment more. Trunks of older versions do not say. */
  strictMaxCalls?: boolean
  callsPerSecond: number
  /** The lowest is tried first. */
  priority: number
}

export interface Trunk {
  id: string
  name: string
  settings: TrunkSettings
  passwordSealed: string | undefined
  active: boolean
  createdAt: number
  updatedAt: number
}

export interface Trunks {
  /** In the order they were added. */
  list(): Promise<Trunk[]>
  find(id: string): Promise<Trunk | undefined>
  insert(trunk: Trunk): Promise<void>
  update(trunk: Omit<Trunk, 'createdAt'>): Promise<boolean>
  remove(id: string): Promise<boolean>
}
