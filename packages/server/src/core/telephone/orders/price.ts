import type { priceKinds, priceServices } from '@offhook/contract/v1/balance/usage.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { isOpen } from '#core/money/destinations.ts'
import { limitsOf } from '#core/money/limits.ts'
import { rateOf } from '#core/money/rates.ts'
import { kindOf } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Rate } from '#core/kernel/ports/store/money/tariffs.ts'
import { readCallee, voicemailAccess, type Side } from './parties.ts'

export interface Price {
  kind: (typeof priceKinds)[number]
  to?: string
  country?: string
  rate?: Rate
}

export interface PriceRequest {
  to: string
  service: (typeof priceServices)[number]
  at: number
}

/** What reaching a number would cost: the same rules as when it is reached, without reserving anything. */
export const priceOf = async (tables: Tables, account: Account, { to, service, at }: PriceRequest): Promise<Price> => {
  if (to.trim() === voicemailAccess) return { kind: 'ON_NET' }
  const { party, costs, premium } = await readSide(tables, account, to)
  if (party.kind === 'emergency') return { kind: 'EMERGENCY' }
  if (costs === undefined) return { kind: 'ON_NET', ...(party.kind === 'number' && { to: party.e164 }) }
  const { country } = kindOf(costs)
  const there = { to: costs, ...(country !== undefined && { country }) }
  const rate = await rateOf(tables, account.tariffId, service, costs, at)
  if (premium || !rate || rate.blocked) return { kind: 'BLOCKED', ...there }
  const { opened } = await limitsOf(tables, account.id)
  if (!isOpen(costs, account.country, opened)) return { kind: 'CLOSED', ...there }
  const isFree = rate.connectFee + rate.ratePerMinute + rate.perUnit === 0
  return { kind: isFree ? 'FREE' : 'PAID', ...there, rate }
}

const readSide = async (tables: Tables, account: Account, to: string): Promise<Side> => {
  try {
    return await readCallee(tables, account, to, undefined)
  } catch (error) {
    if (error instanceof Problem && error.code === 'callee_invalid')
      throw Problem.field('to', 'is not a valid phone number', 'number_invalid')
    throw error
  }
}
