/** What is priced. CALL, FAX and SMS by destination; SIM has one price. */
export type Service = 'CALL' | 'FAX' | 'SMS' | 'SIM'

export interface Tariff {
  id: string
  name: string
  currency: string
  createdAt: number
}

/** Money is counted in ten-thousandths of the currency unit, always as integers. */
export interface Rate {
  /** Charged once when the call is answered. */
  connectFee: number
  ratePerMinute: number
  /** Length of the first pulse; 0 means one increment. */
  minSeconds: number
  /** Length of every further pulse, at least 1. With `minSeconds` the usual notation: 60/60, 60/1, 1/1. */
  incrementSeconds: number
  /** Per SMS segment, fax page or SIM card. */
  perUnit: number
  /** The destination cannot be reached at any price. */
  blocked: boolean
}

export interface TariffRate extends Rate {
  id: number
  service: Service
  /** Digits of E.164 without the plus sign; the empty one is for every destination that has no longer one. */
  prefix: string
  validFrom: number
  /** The first moment it no longer holds; undefined while no end is known. */
  validUntil: number | undefined
}

export type NewRate = Omit<TariffRate, 'id'>

export interface Tariffs {
  list(): Promise<Tariff[]>
  find(id: string): Promise<Tariff | undefined>
  /** The same, and others who change its rates wait until this transaction is over. */
  lock(id: string): Promise<Tariff | undefined>
  /** False when the id is taken. */
  insert(tariff: Tariff): Promise<boolean>
  /** The rate that holds at this time under the longest of the prefixes. */
  findRate(tariffId: string, service: Service, prefixes: readonly string[], at: number): Promise<TariffRate | undefined>
  /** In the order they were added. With `endingAfter` only rates that still hold then, or will. */
  listRates(tariffId: string, page: { after: number; limit: number; service?: Service; endingAfter?: number }): Promise<TariffRate[]>
  /** All rates of exactly this prefix that hold at some time after `from`. */
  ratesOf(tariffId: string, service: Service, prefix: string, from: number): Promise<TariffRate[]>
  findRateById(tariffId: string, rateId: number): Promise<TariffRate | undefined>
  insertRate(tariffId: string, rate: NewRate): Promise<number>
  endRate(tariffId: string, rateId: number, validUntil: number): Promise<void>
}
