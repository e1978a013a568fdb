import { inWords } from './connection/connection.ts'
import { connectFor, subjectOf, type SubjectOptions } from './privacy/subject.ts'
import { Mistake } from './terminal/mistake.ts'

export interface EraseOptions extends SubjectOptions {
  grace?: number
  cancel?: string
}

/** Schedules the erasure of all stored data of a subject, or cancels one. */
export const erase = async (type: string | undefined, id: string | undefined, options: EraseOptions): Promise<void> => {
  const { account: accountId, grace: graceDays, cancel } = options
  if ((type === undefined) === (cancel === undefined))
    throw new Mistake(2, 'Name what to erase, such as: user w3. Or --cancel with an erasure.')
  const subject = type === undefined ? undefined : subjectOf(type, id)
  const { api, baseUrl } = await connectFor(options)
  try {
    if (subject === undefined) {
      const target = { erasureId: cancel ?? '' }
      await (accountId === undefined ? api.cancelErasure(target) : api.cancelAccountErasure(target))
      return console.log(`${cancel} is cancelled.`)
    }
    const input = { subject, ...(graceDays !== undefined && { graceDays }) }
    const scheduled = await (accountId === undefined ? api.createErasure({}, input) : api.createAccountErasure({}, { accountId, ...input }))
    console.log(scheduled.id)
    console.error(`Will be erased on ${scheduled.dueAt}. Until then: offhook erase --cancel ${scheduled.id}`)
  } catch (error) {
    throw inWords(error, baseUrl)
  }
}
