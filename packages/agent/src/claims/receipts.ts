import type { Tool } from '../tools/tool.ts'
import type { Claim } from './claim-in.ts'
import type { Deed } from './claim-words.ts'

/** A tool that has succeeded in this call. */
interface Receipt {
  tool: string
  turn: number
}

/** Deeds of the embedded tools. `[]`: it only reads, or its deed cannot be claimed before it happens. */
const known: Readonly<Record<string, readonly Deed[]>> = {
  hang_up: [],
  transfer: ['pass'],
  collect_digits: [],
  look_up: [],
  send_sms: ['send', 'pass'],
  take_message: ['note', 'pass', 'send'],
  find_times: [],
  my_bookings: [],
  hold_time: ['book', 'note'],
  book_time: ['book', 'note', 'activate', 'send'],
  move_booking: ['change', 'book', 'note', 'activate', 'send'],
  cancel_booking: ['cancel', 'change', 'note', 'activate', 'send'],
}

/** Words in the name or description of a customer's tool. */
const hints: readonly (readonly [RegExp, readonly Deed[]])[] = [
  [/book|reserv|appointment|schedul|termin|buch|reserva|prenot|rendez/i, ['book', 'change', 'activate']],
  [/cancel|storn|absag|annul|delete|lösch/i, ['cancel', 'change']],
  [/chang|updat|move|resched|modif|änder|verschieb|set_/i, ['change']],
  [/send|sms|mail|notify|schick|envo|envi|invi/i, ['send', 'pass']],
  [/forward|inform|pass|escalat|callback|rückruf|weiter/i, ['pass', 'note']],
  [/order|bestell|command|pedid|ordin/i, ['order']],
  [/pay|refund|charge|zahl|erstatt|paiement|pago/i, ['pay']],
  [/activat|block|lock|confirm|reset|sperr|freischalt|bestätig/i, ['activate']],
]

/** Deeds that the success of a tool proves; undefined: any. Whatever was sent to a system may be called noted. */
const deedsOf = ({ name, description, reads }: Pick<Tool, 'name' | 'description' | 'reads'>): readonly Deed[] | undefined => {
  if (reads) return []
  if (Object.hasOwn(known, name)) return known[name]
  const hinted = hints.filter(([pattern]) => pattern.test(`${name} ${description}`)).flatMap(([, deeds]) => deeds)
  return hinted.length === 0 ? undefined : [...hinted, 'note']
}

/** Successful tools of one call. */
export class Receipts {
  readonly #receipts: (Receipt & { deeds: readonly Deed[] | undefined })[] = []

  add(tool: Pick<Tool, 'name' | 'description' | 'reads'>, turn: number): void {
    this.#receipts.push({ tool: tool.name, turn, deeds: deedsOf(tool) })
  }

  /** Names of the tools that succeeded. */
  get tools(): readonly string[] {
    return [...new Set(this.#receipts.map(({ tool }) => tool))]
  }

  /** The latest success that covers the claim. A claim about a thing ("your table is booked") may quote the answer of any tool. */
  covering({ deeds, first }: Claim): Receipt | undefined {
    return this.#receipts.findLast((one) => !first || one.deeds === undefined || deeds.some((deed) => one.deeds?.includes(deed)))
  }
}
