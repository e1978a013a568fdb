import { fc } from '#test/chance/fast-check.ts'

/** Numbers used for toll fraud: premium, mass calling, satellites, world-wide premium. */
const dangerous = ['+499001234567', '+491371234567', '+8821330000000', '+881612345678', '+979123456789', '+870773111111']

/** Each in any spelling that a caller might try. */
export const spelled = fc
  .record({
    number: fc.constantFrom(...dangerous),
    lead: fc.constantFrom('+', '00', '0', '', '%2B', 'tel:+', 'TEL:', 'sip:+', ' +', '++', '+ '),
    fill: fc.constantFrom('', ' ', '-', '.', '/', '(', ')', '\u00a0', '\u200b'),
    gap: fc.integer({ min: 1, max: 8 }),
    digits: fc.constantFrom('ascii', 'arabic', 'fullwidth'),
    tail: fc.constantFrom('', ';ext=5', ';phone-context=+49', '@example.com', ',1', '#', ' x2', ' '),
  })
  .map(({ number, lead, fill, gap, digits, tail }) => {
    // A single 0 prefixes only German numbers.
    const national = lead === '0' && number.startsWith('+49')
    const plain = national ? number.slice(3) : number.slice(1)
    const zero = { ascii: 0x30, arabic: 0x660, fullwidth: 0xff10 }[digits]
    const written = Array.from(plain, (digit) => String.fromCodePoint(zero + Number(digit))).join('')
    return (lead === '0' && !national ? '00' : lead) + written.slice(0, gap) + fill + written.slice(gap) + tail
  })
