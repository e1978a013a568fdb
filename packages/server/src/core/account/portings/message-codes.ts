/** What the codes in WBCI messages between carriers mean. */
export const messageCodes: Readonly<Record<string, string>> = {
  // consent (RUEM-VA); differences in the address do not hinder it
  8001: 'agreed as requested',
  8002: 'agreed for another date',
  8104: 'agreed, the address differs',
  8105: 'agreed, the address differs',
  8106: 'agreed, the address differs',
  8107: 'agreed, the address differs',
  // refusal (ABBM)
  8103: 'the number is not in service',
  8108: 'the address is wrong',
  8109: 'the address is wrong',
  8110: 'the address is wrong',
  8111: 'the address is wrong',
  8112: 'the holder is wrong',
  8113: 'the holder is wrong',
  8114: 'there are further holders',
  8115: 'the id of the request was used before',
  8116: 'other reason',
  8117: 'the customer is not known',
  8118: 'already agreed with another carrier',
  8140: 'the id is not known',
  // answers to a move of the date and to a cancellation
  8003: 'date moved',
  8004: 'cancelled',
  8141: 'move of the date refused',
  8142: 'cancellation refused',
  // take-over of the line
  8010: 'take-over announced',
}

export const explainCodes = (codes: readonly string[] = []): string =>
  codes.map((code) => `${code} ${messageCodes[code] ?? 'unknown code'}`).join('; ')

export const agreedCodes: ReadonlySet<string> = new Set(['8001', '8002', '8104', '8105', '8106', '8107'])

export const rejectedCodes: ReadonlySet<string> = new Set([
  '8103',
  '8108',
  '8109',
  '8110',
  '8111',
  '8112',
  '8113',
  '8114',
  '8115',
  '8116',
  '8117',
  '8118',
  '8140',
])
