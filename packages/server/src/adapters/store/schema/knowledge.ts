// Generated from the migrations: npm run generate.
import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export interface KnowledgeSchema {
  knowledge_document: {
    id: string
    account_id: string
    flow_id: string
    name: string
    kind: 'text' | 'markdown' | 'html' | 'pdf'
    url: string | null
    state: 'PENDING' | 'READY' | 'FAILED'
    problem: string | null
    bytes: number
    passages: Generated<number>
    lengths: Generated<Json>
    added_at: number
  }
  knowledge_source: { document_id: string; nth: number; content: string }
  knowledge_passage: { document_id: string; nth: number; heading: string | null; page: number | null; content: string }
  knowledge_term: { flow_id: string; term: string; document_id: string; postings: string }
  knowledge_vectors: { document_id: string; first: number; model: string; vectors: string }
}
