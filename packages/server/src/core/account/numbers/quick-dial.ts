/** Never quick dials, nor the beginning of one: a phone would connect as soon as these digits are complete. */
const refusedBeginnings: readonly { matches: RegExp; why: string }[] = [
  { matches: /^11\d/, why: 'numbers beginning with 110 to 119 are emergency and service numbers' },
  { matches: /^[2-9]11/, why: 'numbers beginning with 211, 311, 411, 511, 611, 711, 811 or 911 are service numbers' },
  { matches: /^99/, why: 'numbers beginning with 99 are reserved for emergency calls and the network' },
  { matches: /^50000$/, why: '50000 is the access number of the voicemail' },
]

/** Whether a number can be a quick dial at all; whether it is still free only the account's numbers can tell. */
export function checkQuickDial(number: string): 'ok' | { refused: string } {
  if (!/^[0-9]*$/.test(number)) return { refused: 'a quick dial number has digits only' }
  if (number.length < 2 || number.length > 5) return { refused: 'a quick dial number has 2 to 5 digits' }
  if (number.startsWith('0')) return { refused: 'a quick dial number does not begin with 0' }
  const rule = refusedBeginnings.find(({ matches }) => matches.test(number))
  return rule ? { refused: rule.why } : 'ok'
}
