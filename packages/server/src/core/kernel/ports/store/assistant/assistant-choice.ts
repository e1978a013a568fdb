/** Which assistant has a session: a version that was published, what is being written, or none, because none was published yet. */
export type AssistantChoice = number | 'draft' | 'none'

/** As it is written in the store. */
export const readChoice = (text: string): AssistantChoice => (text === 'draft' || text === 'none' ? text : Number(text))
