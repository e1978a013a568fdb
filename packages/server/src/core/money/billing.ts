import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** What the operator says about selling. */
export interface Billing {
  sellerName?: string
  sellerAddress?: string
  taxId?: string
  /** Contained in all prices. */
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
  if (!done) throw new Problem('conflict', 'Somebody else changed it at the same moment.')
}

/** Says how to top up, where the operator has said so. */
export const notCovered = async (tables: Tables): Promise<Problem> => {
  const { topUpText, topUpUrl } = await billingOf(tables)
  const hint = [topUpText, topUpUrl].filter((part) => part !== undefined).join(' ')
  return hint === '' ? new Problem('insufficient_funds') : new Problem('insufficient_funds', `The balance does not cover this. ${hint}`)
}

/** Only who says all of it may write invoices. */
export const sellerOf = ({ sellerName, sellerAddress, taxId, taxPercent }: Billing): Seller | undefined =>
  sellerName && sellerAddress && taxId && taxPercent !== undefined
    ? { name: sellerName, address: sellerAddress, taxId, taxPercent }
    : undefined
