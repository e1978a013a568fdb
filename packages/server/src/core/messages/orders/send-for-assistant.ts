import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SmsLine } from '#core/kernel/ports/store/line.ts'
import { sendersOf } from '../sms/sending/senders.ts'
import { sendSms, type SmsOrderDeps } from './send-sms.ts'

interface AssistantSms {
  accountId: string
  /** Digits of the number that the person called and is likely to recognise. */
  called: string
  /** E.164. */
  recipient: string
  text: string
}

/** Sends an SMS on behalf of the account: from the called number if it may send SMS, else from the first that may. */
export const sendForAssistant = async (deps: SmsOrderDeps, { accountId, called, recipient, text }: AssistantSms): Promise<void> => {
  const { line, sender } = await findSender(deps.store.read, accountId, `+${called}`)
  const user: UserCaller = { kind: 'user', accountId, userId: line.owner, admin: false, scopes: [], tokenId: '' }
  await sendSms(deps, user, randomUUID(), { smsId: line.id, recipient, message: text, sender })
}

const findSender = async (tables: Tables, accountId: string, preferred: string): Promise<{ line: SmsLine; sender: string }> => {
  const found: { line: SmsLine; sender: string }[] = []
  for (const { id } of await tables.users.list(accountId))
    for (const line of await tables.smsLines.list(accountId, id))
      found.push(...(await sendersOf(tables, accountId, line)).map((sender) => ({ line, sender })))
  const chosen = found.find(({ sender }) => sender === preferred) ?? found[0]
  if (!chosen) throw new Problem('sms_sender_missing')
  return chosen
}
