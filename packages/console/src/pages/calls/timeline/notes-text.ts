import { words } from '#words/languages.ts'

/** Texts of notes. Unknown names are shown unchanged. */
interface NoteText {
  names: Readonly<Record<string, string>>
  statuses: Readonly<Record<string, string>>
  fields: Readonly<Record<string, string>>
  tokens: (read: number, written: number) => string
  firstToken: (ms: number) => string
  nothingFound: string
  noReceipt: string
  key: (digit: string, does: string) => string
  limit: (limit: string) => string
  version: (version: number | string) => string
}

export const noteText = words<NoteText>({
  en: {
    names: { model: 'Model', tool: 'Tool', knowledge: 'Looked up', claim: 'Claim', assistant: 'Assistant', result: 'Result' },
    statuses: { ok: 'done', refused: 'refused', failed: 'failed' },
    tokens: (read: number, written: number) => `${read} + ${written} tokens`,
    firstToken: (ms: number) => `first token ${ms} ms`,
    nothingFound: 'nothing found',
    noReceipt: 'no tool has done it: not said',
    key: (digit: string, does: string) => `key ${digit}: ${does}`,
    limit: (limit: string) => `limit reached: ${limit}`,
    version: (version: number | string) => (version === 'draft' ? 'draft' : `version ${version}`),
    fields: {
      model: 'Model',
      server: 'Server',
      attempt: 'Attempt',
      version: 'Version',
      firstTokenMs: 'First token (ms)',
      firstClauseMs: 'First clause (ms)',
      totalMs: 'Whole answer (ms)',
      promptTokens: 'Tokens read',
      completionTokens: 'Tokens written',
      cost: 'Cost',
      currency: 'Currency',
      finish: 'Finish reason',
      error: 'Problem',
      name: 'Tool',
      arguments: 'Arguments',
      status: 'Outcome',
      ms: 'Took (ms)',
      query: 'Question',
      sentence: 'Sentence',
      verdict: 'Verdict',
      receipt: 'Receipt',
      receiptTurn: 'Turn of the receipt',
    },
  },
  de: {
    names: {
      model: 'Modell',
      tool: 'Werkzeug',
      knowledge: 'Nachgeschlagen',
      claim: 'Behauptung',
      assistant: 'Assistent',
      result: 'Ergebnis',
    },
    statuses: { ok: 'erledigt', refused: 'abgelehnt', failed: 'fehlgeschlagen' },
    tokens: (read: number, written: number) => `${read} + ${written} Token`,
    firstToken: (ms: number) => `erstes Token ${ms} ms`,
    nothingFound: 'nichts gefunden',
    noReceipt: 'kein Werkzeug hat es getan: nicht gesagt',
    key: (digit: string, does: string) => `Taste ${digit}: ${does}`,
    limit: (limit: string) => `Limit erreicht: ${limit}`,
    version: (version: number | string) => (version === 'draft' ? 'Entwurf' : `Version ${version}`),
    fields: {
      model: 'Modell',
      server: 'Server',
      attempt: 'Versuch',
      version: 'Version',
      firstTokenMs: 'Erstes Token (ms)',
      firstClauseMs: 'Erster Satzteil (ms)',
      totalMs: 'Ganze Antwort (ms)',
      promptTokens: 'Token gelesen',
      completionTokens: 'Token geschrieben',
      cost: 'Kosten',
      currency: 'Währung',
      finish: 'Grund des Endes',
      error: 'Problem',
      name: 'Werkzeug',
      arguments: 'Argumente',
      status: 'Ausgang',
      ms: 'Dauer (ms)',
      query: 'Frage',
      sentence: 'Satz',
      verdict: 'Urteil',
      receipt: 'Beleg',
      receiptTurn: 'Runde des Belegs',
    },
  },
})
