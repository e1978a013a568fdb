import { hashSecret } from '../identity/tokens/tokens.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number.ts'
import { advance } from './advance.ts'
import type { PortingContext } from './porting-record.ts'

/** The porting of a consent link, while the link is valid. */
export const findConsent = async (tables: Tables, { clock }: PortingContext, secret: string): Promise<StoredPorting | undefined> => {
  const porting = await tables.portings.findByOptin(hashSecret(secret))
  return porting?.status === 160 && (porting.optinExpires ?? 0) > clock.now() ? porting : undefined
}

/** Records the holder's consent, spends the link, and sends the request to the present carrier. False when the link is no longer valid. */
export const giveConsent = async (tables: Tables, context: PortingContext, secret: string): Promise<boolean> => {
  const found = await tables.portings.findByOptin(hashSecret(secret))
  if (found) await tables.portings.lock(found.id)
  // Read again under the lock: of two clicks only one counts.
  const porting = await findConsent(tables, context, secret)
  if (!porting) return false
  await advance(tables, context, porting, { event: 'optin_clicked', actor: 'holder' })
  return true
}

/** Runs when a consent link expires; another may be sent. */
export const expireConsent = async (tables: Tables, context: PortingContext, portingId: number): Promise<void> => {
  const porting = await tables.portings.lock(portingId)
  if (porting?.status !== 160 || (porting.optinExpires ?? 0) > context.clock.now()) return
  await advance(tables, context, porting, { event: 'optin_expired', actor: 'system' })
}
