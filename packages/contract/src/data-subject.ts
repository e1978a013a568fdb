import { Type } from 'typebox'
import { Input, OneOf, Output, RequiredText, Timestamp } from './values.ts'

export const subjectTypes = ['ACCOUNT', 'USER', 'CONTACT', 'NUMBER'] as const
export type SubjectType = (typeof subjectTypes)[number]

/** A person, or a whole account, whose data is exported or erased. */
export const DataSubject = Input({
  type: OneOf(subjectTypes, { description: 'NUMBER: a caller who is neither a user nor a contact' }),
  id: Type.Optional({
    ...RequiredText(100),
    description: 'Of the user or contact, or the number in E.164, such as +493023125001; not with ACCOUNT',
  }),
})

const Subject = Output({ type: OneOf(subjectTypes), id: Type.Optional(Type.String()) })

const common = {
  id: Type.String(),
  accountId: Type.String(),
  subject: Subject,
  reference: Type.String({ description: 'A keyed hash of the subject: the same for every export and erasure of it, and in the audit log' }),
  requestedBy: Type.String({ description: 'user:<id> or operator:<id>' }),
  requestedAt: Timestamp,
}

export const exportStates = ['PENDING', 'BUILDING', 'READY', 'FAILED'] as const

/** An archive of all data stored about a subject. */
export const DataExport = Output({
  ...common,
  state: OneOf(exportStates),
  readyAt: Type.Optional(Timestamp),
  expiresAt: { ...Timestamp, description: 'When the export is removed with its archive; ISO 8601, UTC' },
  bytes: Type.Optional(Type.Integer({ description: 'Of the archive' })),
  rows: Type.Optional(Type.Integer({ description: 'Rows of the database in the archive' })),
  files: Type.Optional(Type.Integer({ description: 'Recordings, faxes and documents in the archive' })),
})

export const erasureStates = ['SCHEDULED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const

/** The id of the subject is removed once the erasure is DONE. */
export const Erasure = Output({
  ...common,
  state: OneOf(erasureStates),
  dueAt: { ...Timestamp, description: 'The end of the grace period; a running call of the subject postpones the erasure' },
  endedAt: Type.Optional(Timestamp),
  failure: Type.Optional(Type.String({ description: 'FAILED: the code of the error' })),
  deletedRows: Type.Optional(Type.Integer()),
  pseudonymizedRows: Type.Optional(Type.Integer({ description: 'Rows that law keeps, such as paid entries' })),
  deletedFiles: Type.Optional(Type.Integer()),
})

/** Lists are paged, newest first. */
export const privacyPage = {
  after: Type.Optional(Type.String({ maxLength: 64, description: 'id of the last element of the page before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
}

export const maxGraceDays = 30
export const defaultGraceDays = 7

export const GraceDays = (minimum: 0 | 1) =>
  Type.Optional(
    Type.Integer({ minimum, maximum: maxGraceDays, default: defaultGraceDays, description: 'Days in which the erasure can be cancelled' }),
  )
