import type { Statement } from '../statement.ts'

const head = ['type', 'calls', 'minutes', 'messages', 'pages', 'amount', 'currency']

/** RFC 4180, with the opening balance first and the closing one last; amounts with a decimal point, in currency units. */
export const csvOf = ({ lines, opening, closing, currency, tax }: Statement): string => {
  const row = (type: string, figures: readonly (number | string)[], amount: number) => [type, ...figures, unitsOf(amount), currency]
  const rows = [
    head,
    row('OPENING', none, opening),
    ...lines.map(({ type, calls, minutes, messages, pages, amount }) => row(type, [calls, minutes, messages, pages], amount)),
    row('CLOSING', none, closing),
    ...(tax ? [row('TAX_INCLUDED', none, tax.amount)] : []),
  ]
  return rows.map((cells) => `${cells.join(',')}\r\n`).join('')
}

const none = ['', '', '', '']

/** Ten-thousandths as `-12.3456`, with at least two decimals. */
const unitsOf = (amount: number): string => {
  const [units, rest] = [Math.floor(Math.abs(amount) / 10_000), Math.abs(amount) % 10_000]
  const digits = String(rest)
    .padStart(4, '0')
    .replace(/0{1,2}$/, '')
  return `${amount < 0 ? '-' : ''}${units}.${digits}`
}
