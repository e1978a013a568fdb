import { errors } from '@offhook/contract/errors.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Operator's settings for billing. */
interface Billing {
  sellerName?: string
  sellerAddress?: string
  taxId?: string
  /** Included in all prices. */
  taxPercent?: number
  topUpUrl?: string
  topUpText?: string
}

export interface Seller {
  name: string
  address: string
  taxId: string
  taxPercent: number
}

const setting = 'billing'

export const billingOf = async (tables: Tables): Promise<Billing> => {
  const kept = await tables.settings.get(setting)
  return kept === undefined ? {} : (JSON.parse(kept) as Billing)
}

export const setBilling = async (tables: Tables, billing: Billing): Promise<void> => {
  const to = JSON.stringify(billing)
  const from = await tables.settings.get(setting)
  if (from === to) return
  const done = from === undefined ? await tables.settings.setOnce(setting, to) : await tables.settings.replace(setting, { from, to })
  if (!done) throw new Problem('conflict', 'Somebody else changed this at the same moment; read it again.')
}

/** Creates the problem with the operator's hint for topping up, if set. */
export const withHint = async (tables: Tables, code: 'insufficient_funds' | 'daily_limit_reached'): Promise<Problem> => {
  const { topUpText, topUpUrl } = await billingOf(tables)
  const hints = [topUpText, topUpUrl].filter((part) => part !== undefined)
  return hints.length === 0 ? new Problem(code) : new Problem(code, [errors[code].text, ...hints].join(' '))
}

/** Undefined unless complete: invoices require all of it. */
export const sellerOf = ({ sellerName, sellerAddress, taxId, taxPercent }: Billing): Seller | undefined =>
  sellerName && sellerAddress && taxId && taxPercent !== undefined
    ? { name: sellerName, address: sellerAddress, taxId, taxPercent }
    : undefined
