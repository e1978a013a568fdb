import { fc } from '../chance/fast-check.ts'
import { spelled } from '../routing/dangerous-numbers.ts'
import type { Attempt } from './hostile-token.ts'

const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('+4921163554444', '+4915112345678', '+4915112999999') },
  { weight: 2, arbitrary: fc.constantFrom('+4921163554445', '+4915113345678', '112', '110', '+441632960000', 'p0', 'e0', '50000') },
  { weight: 1, arbitrary: spelled },
)

const order = fc.record(
  {
    do: fc.constantFrom('call', 'flow', 'sms', 'sms'),
    to: number,
    from: number,
    key: fc.nat(7),
    lineFails: fc.boolean(),
  },
  { requiredKeys: ['do', 'to'] },
)

const later = fc.record({ do: fc.constantFrom('extend', 'settle'), which: fc.nat(20), seconds: fc.nat(4000) })

/** Concurrent attempts: orders, also repeated ones, and calls that continue or end. */
export const attempts: fc.Arbitrary<Attempt[]> = fc.array(fc.oneof({ weight: 4, arbitrary: order }, { weight: 1, arbitrary: later }), {
  minLength: 4,
  maxLength: 16,
})
