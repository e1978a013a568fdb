import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { NewRate, Service, Rate } from '#core/kernel/ports/store/money.ts'

export const standardTariffId = 'standard'

const perMinute = (ratePerMinute: number): Rate => ({ ...free, ratePerMinute, minSeconds: 60, incrementSeconds: 60 })
const perUnit = (price: number): Rate => ({ ...free, perUnit: price })
const free: Rate = { connectFee: 0, ratePerMinute: 0, minSeconds: 0, incrementSeconds: 60, perUnit: 0, blocked: false }
const blocked: Rate = { ...free, blocked: true }

// Austria to Sweden: the member states of the European Union other than Germany, and Iceland, Liechtenstein and Norway.
const europe = '43 32 359 385 357 420 45 372 358 33 30 36 353 39 371 370 352 356 31 48 351 40 421 386 34 46 354 423 47'.split(' ')
const germanMobile = ['4915', '4916', '4917']
const freephone = ['49800', '800']
// 0900, 0137 and 118xy have prices set by their owners; so do satellites, networks without a country and the worldwide premium numbers.
const neverReached = ['49900', '49137', '49118', '808', '870', '878', '881', '882', '883', '888', '979']

const spoken: [readonly string[], Rate][] = [
  [[''], perMinute(9_900)],
  [europe, perMinute(1_200)],
  [['49'], perMinute(190)],
  [germanMobile, perMinute(990)],
  [['49180'], perMinute(2_000)],
  [freephone, free],
  [neverReached, blocked],
]

const prices: Record<Service, [readonly string[], Rate][]> = {
  CALL: spoken,
  FAX: spoken,
  SMS: [
    [[''], perUnit(1_490)],
    [[...europe, '49'], perUnit(790)],
    [neverReached, blocked],
  ],
  SIM: [[[''], perUnit(49_500)]],
}

/** Creates the tariff of a new installation; returns its id. An existing one stays unchanged. */
export const openTariff = async (tables: Tables, clock: Clock, { currency }: { currency: string }): Promise<string> => {
  const at = clock.now()
  if (!(await tables.tariffs.insert({ id: standardTariffId, name: 'Standard', currency, createdAt: at }))) return standardTariffId
  for (const rate of standardRates(at)) await tables.tariffs.insertRate(standardTariffId, rate)
  return standardTariffId
}

const standardRates = (validFrom: number): NewRate[] =>
  Object.entries(prices).flatMap(([service, list]) =>
    list.flatMap(([prefixes, rate]) =>
      prefixes.map((prefix) => ({ ...rate, service: service as Service, prefix, validFrom, validUntil: undefined })),
    ),
  )
