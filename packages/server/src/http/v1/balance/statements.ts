import { Problem } from '@offhook/contract/problem.ts'
import type { statementOperations } from '@offhook/contract/v1/balance/statements.ts'
import { pdfOf } from '#core/money/print/statement-pdf.ts'
import { csvOf } from '#core/money/print/statement-csv.ts'
import { readStatement, type Statement } from '#core/money/statement.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { inMemory } from '#http/reply/in-memory.ts'
import type { FileReply } from '#http/reply/send-file.ts'

export const statementHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof statementOperations> => {
  const find = async (accountId: string, month: string): Promise<Statement> => {
    const statement = /^\d{4}-\d{2}$/.test(month) ? await store.read.statements.find(accountId, month) : undefined
    if (!statement) throw new Problem('statement_not_found')
    return readStatement(statement)
  }

  const localeOf = async (accountId: string) => (await store.read.accounts.find(accountId))?.locale ?? 'en_US'

  return {
    listStatements: async ({ caller }) => {
      const statements = await store.read.statements.list(caller.accountId)
      return { items: statements.map(readStatement).map(toHead) }
    },

    readStatement: ({ caller, params: { month } }) => find(caller.accountId, month),

    getStatementPdf: async ({ caller: { accountId }, params: { month } }) => {
      const statement = await find(accountId, month)
      return fileOf(await pdfOf(statement, await localeOf(accountId)), statement, 'pdf')
    },

    getStatementCsv: async ({ caller: { accountId }, params: { month } }) => {
      const statement = await find(accountId, month)
      return fileOf(Buffer.from(csvOf(statement)), statement, 'csv')
    },
  }
}

const toHead = ({ month, kind, number, currency, opening, spent, closing, createdAt }: Statement) => ({
  month,
  kind,
  number,
  currency,
  opening,
  spent,
  closing,
  createdAt,
})

const fileOf = (content: Uint8Array, { kind, month, hash, createdAt }: Statement, ending: 'pdf' | 'csv'): FileReply => ({
  file: inMemory(content, Date.parse(createdAt)),
  name: `${kind.toLowerCase()}-${month}.${ending}`,
  tag: `${hash}.${ending}`,
})
