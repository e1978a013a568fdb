import type { Citation } from '@offhook/contract/v3/agent-notes.ts'
import type { Passage } from '@offhook/contract/v3/knowledge.ts'
import type { Host } from '../host.ts'
import { objectOf, type Tool } from './tool.ts'

export const lookUpTool = (host: Host, flowId: string, max: number): Tool => ({
  name: 'look_up',
  description: 'Searches the documents that you were given. Use it before you say that you do not know something.',
  parameters: objectOf({ query: { type: 'string', minLength: 1, maxLength: 500, description: 'The question, with all its words' } }, [
    'query',
  ]),
  run: async ({ query }) => {
    const passages = await host.lookUp(flowId, String(query), max)
    return { status: 'ok', content: passages.length === 0 ? 'Nothing was found.' : passages.map(wordsOf), passages }
  },
})

export const wordsOf = ({ document, heading, page, text }: Passage): string =>
  `${[document, heading, page === undefined ? undefined : `page ${page}`].filter(Boolean).join(', ')}: ${text}`

/** What is kept of it: where it stands, and how it begins. */
export const citationOf = ({ documentId, document, heading, page, text, score }: Passage): Citation => ({
  documentId,
  document,
  ...(heading !== undefined && { heading }),
  ...(page !== undefined && { page }),
  score,
  text: text.slice(0, 300),
})
