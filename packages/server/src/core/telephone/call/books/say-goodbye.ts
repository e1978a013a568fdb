import type { Call } from '../call.ts'

/** Tells those who pay, or everybody when none of them is in the call, why it ends. Resolves when it was said. */
export const sayGoodbye = async (call: Call, payer: string): Promise<void> => {
  const language = await languageOf(call, payer)
  const payers = call.parties.filter(({ desk }) => desk?.accountId === payer)
  const listeners = payers.length > 0 ? payers : call.parties
  const playing = listeners.map(({ leg }) => leg.audio.announce({ prompt: 'insufficient-funds', language }, { urgent: true }))
  await Promise.all(playing.map(({ done }) => done))
}

/** In which we speak to people who call this account. */
export const languageOf = async ({ parts }: Call, accountId: string): Promise<string> => {
  const account = await parts.store.read.accounts.find(accountId)
  return account?.locale.slice(0, 2) ?? 'en'
}
