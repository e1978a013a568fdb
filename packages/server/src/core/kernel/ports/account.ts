import type { NewCredential, PasskeyAnswer } from '@offhook/contract/passkeys.ts'
import type { Passkey } from './store/identity.ts'
import type { OpenRecording } from './files.ts'
import type { ArchiveFacts } from './store/account.ts'
import type { Clock } from './platform.ts'
import type { Tables } from './store/index.ts'

export interface Passwords {
  hash(password: string): Promise<string>
  /** Without a hash (unknown user) it takes the same time as a real comparison and returns false. */
  matches(password: string, hash: string | undefined): Promise<boolean>
}

/** Relying party of passkeys, as a browser sees it. */
export interface PasskeySite {
  /** Host name that passkeys are bound to. */
  name: string
  origin: string
}

export interface PasskeyQuestioned {
  site: PasskeySite
  /** Challenge that was to be signed. */
  challenge: string
}

/** Verifies passkey responses of browsers (WebAuthn Level 3). */
export interface PasskeyProofs {
  /** Fields of a new passkey to store; undefined if invalid. */
  made(
    credential: NewCredential,
    questioned: PasskeyQuestioned,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> | undefined>
  /** Counter after a valid response; undefined if invalid, including a counter that does not increase. */
  answered(answer: PasskeyAnswer, passkey: Passkey, questioned: PasskeyQuestioned): Promise<number | undefined>
}

/**
 * Person or account whose data is exported or erased. A number identifies a caller without an account; a contact stands for its
 * address-book entry and all of its numbers.
 */
export type DataSubject =
  | { readonly type: 'account'; readonly accountId: string }
  | { readonly type: 'user'; readonly accountId: string; readonly userId: string }
  | { readonly type: 'contact'; readonly accountId: string; readonly contactId: string }
  /** E.164. */
  | { readonly type: 'number'; readonly accountId: string; readonly number: string }

/** Rows of one table with data of the subject, without secrets; a large table comes in several batches. */
export interface PersonalRows {
  readonly table: string
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** Result of an erasure, without any erased values. */
export interface ErasureReport {
  readonly deletedRows: number
  readonly pseudonymizedRows: number
  readonly deletedFiles: number
}

/** Reads and erases everything stored about a subject: database rows, files, caches. */
export interface PersonalData {
  exists(subject: DataSubject): Promise<boolean>
  rows(subject: DataSubject): AsyncIterable<PersonalRows>
  /** Keys of `Blobs` that belong to the subject: recordings, voicemails, faxes, documents. */
  files(subject: DataSubject): AsyncIterable<string>
  /** Repeatable: after an interruption or a restored backup it erases the rest. */
  erase(subject: DataSubject): Promise<ErasureReport>
}

export interface ArchiveName {
  accountId: string
  exportId: string
}

export interface ArchiveContent {
  /** Becomes `data/<table>.json`, one array per table. */
  rows: AsyncIterable<PersonalRows>
  /** Keys of `Blobs`; they become `files/<key>`. */
  files: AsyncIterable<string>
  /** README.txt, for people. */
  readme: string
  /** Fields of export.json, for programs, in addition to the counts. */
  about: Readonly<Record<string, unknown>>
  at: number
  /** Aborted at shutdown. */
  signal: AbortSignal
}

/** Export archives: tar files stored next to recordings and faxes. */
export interface ExportArchives {
  /** Visible under its name once complete; replaces an earlier one. Rejects with the signal's reason once that is aborted. */
  write(name: ArchiveName, content: ArchiveContent): Promise<ArchiveFacts>
  /** Undefined if it does not exist. */
  open(name: ArchiveName): Promise<OpenRecording | undefined>
  /** No-op if it does not exist. */
  remove(name: ArchiveName): Promise<void>
  list(): AsyncIterable<ArchiveName>
  /** Removes unfinished archives of processes that died. */
  removeLeftovers(): Promise<void>
}

/**
 * Hooks for higher layers to end or erase data when something of an account is removed. Run inside the removing transaction: between a
 * commit and a later job something could still be sent.
 */
export interface CleanUps {
  userLeaves(tables: Tables, accountId: string, userId: string): Promise<void>
  /** Users may return and keep their data: nothing is sent for them while they are disabled. */
  userPauses(tables: Tables, accountId: string, userId: string): Promise<void>
  accountCloses(tables: Tables, accountId: string): Promise<void>
  /** Called while the line still exists. */
  faxlineGoes(tables: Tables, accountId: string, faxlineId: string): Promise<void>
}

/** Dependencies for removing a line, a user or an account. */
export interface RemovalDeps {
  clock: Clock
  cleanups: CleanUps
}
