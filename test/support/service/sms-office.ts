import type { Exchange } from './exchange.ts'
import type { MessageCentre, Submitted } from '../peers/message-centre.ts'
import { until } from '../machine/peer-process.ts'

/** Number in another network. */
export const outside = '+491701234567'
/** Sender number of the account. */
export const ownMobile = '+4915799912345'
export const pricePerSegment = 790

type HistoryItem = Awaited<ReturnType<Exchange['admin']['listHistory']>>['items'][number]

export interface SmsOffice {
  smsId: string
  send(message: string, recipient?: string): Promise<void>
  /** The only message of the history with this text, once it is in this state. */
  entry(text: string, status?: string): Promise<HistoryItem>
  /** Amount spent since the office opened; asserts that nothing is reserved. */
  spent(): Promise<number>
}

/** Mobile number of the demo account, routed to this extension. */
export const newMobileNumber = async ({ admin, operator, accountId }: Exchange, endpointId: string): Promise<string> => {
  const number = `+49157${String(mobileNumbers++)}`
  const { id } = await operator.assignNumber({}, { accountId, number })
  await admin.changeNumber({ numberId: id }, { endpointId })
  return number
}

let mobileNumbers = 35_900_000

/** SMS extension of the demo account with a sender, verified by the code that the message centre receives. */
export const openSmsOffice = async (exchange: Exchange, codes: { messages: MessageCentre['messages'] }): Promise<SmsOffice> => {
  const { admin, operator, accountId, userId } = exchange
  const smsId = (await admin.listSms({ userId })).items[0]?.id ?? ''
  const { id: callerIdId } = await admin.createSmsCallerId({ userId, smsId }, { phonenumber: ownMobile })
  const [first] = await codes.messages(1)
  await admin.verifySmsCallerId({ userId, smsId, callerIdId }, { code: codeIn(first) })
  await admin.changeSmsCallerId({ userId, smsId, callerIdId }, { defaultNumber: true })
  const before = (await operator.readBalance({ accountId })).amount
  return {
    smsId,
    send: (message, recipient = outside) => admin.sendSms({}, { smsId, recipient, message }),
    entry: (text, status) =>
      until(`${status ?? 'any entry'} of ${text.slice(0, 20)}`, async () => {
        const { items } = await admin.listHistory({ userId, types: ['SMS'], limit: 1000 })
        const found = items.filter(({ smsContent }) => smsContent === text)
        if (found.length > 1) throw new Error(`${text} is there ${found.length} times`)
        return found.find(({ smsStatusType }) => status === undefined || smsStatusType === status)
      }),
    spent: () =>
      until('the money to be settled', async () => {
        const { amount, reserved } = await operator.readBalance({ accountId })
        return reserved === 0 ? before - amount : undefined
      }),
  }
}

const codeIn = (sms: Submitted | undefined): string => /\b\d{6}\b/.exec(sms?.text ?? '')?.[0] ?? ''
