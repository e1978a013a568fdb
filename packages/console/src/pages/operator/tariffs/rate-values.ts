export const services = ['CALL', 'FAX', 'SMS', 'SIM'] as const

export type Service = (typeof services)[number]

export const freshRate = {
  service: 'CALL' as Service,
  prefix: '',
  blocked: false,
  connectFee: 0 as number | undefined,
  ratePerMinute: 0 as number | undefined,
  minSeconds: 60,
  incrementSeconds: 60,
  perUnit: 0 as number | undefined,
  validFrom: '',
}

export type RateValues = typeof freshRate

export const lasts = (service: Service): boolean => service === 'CALL' || service === 'FAX'

export const isReadable = ({ service, blocked, connectFee, ratePerMinute, perUnit }: RateValues): boolean =>
  blocked || !(lasts(service) ? [connectFee, ratePerMinute] : [perUnit]).includes(undefined)

/** Only what means something for the service. */
export const bodyOf = ({ service, prefix, blocked, validFrom, ...prices }: RateValues) => ({
  service,
  prefix,
  blocked,
  ...(!blocked && pricesOf(service, prices)),
  ...(validFrom !== '' && { validFrom: new Date(validFrom).toISOString() }),
})

type PriceValues = Omit<RateValues, 'service' | 'prefix' | 'blocked' | 'validFrom'>

const pricesOf = (service: Service, { connectFee = 0, ratePerMinute = 0, minSeconds, incrementSeconds, perUnit = 0 }: PriceValues) =>
  lasts(service) ? { connectFee, ratePerMinute, minSeconds, incrementSeconds } : { perUnit }
