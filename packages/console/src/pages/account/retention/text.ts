import type { RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import { words } from '#words/languages.ts'

const hintsInEnglish: Record<RetentionKind, string> = {
  recordings: 'The sound only; the call stays in the history.',
  voicemail: 'The sound and its text; the entry stays in the history.',
  faxes: 'The pages only; the fax stays in the history.',
  timelines: 'Every step of a call, with its words.',
  transcripts: 'What was said: the words in timelines and voicemails, and results of assistants.',
  history: 'With recording, message, fax, timeline, SMS text and note. Costs stay in the balance and statements.',
}

const hintsInGerman: Record<RetentionKind, string> = {
  recordings: 'Nur der Ton; der Anruf bleibt im Verlauf.',
  voicemail: 'Ton und Text; der Eintrag bleibt im Verlauf.',
  faxes: 'Nur die Seiten; das Fax bleibt im Verlauf.',
  timelines: 'Jeder Schritt eines Anrufs, mit den Worten.',
  transcripts: 'Was gesagt wurde: die Worte in Zeitachsen und Mailbox-Nachrichten sowie Ergebnisse von Assistenten.',
  history: 'Mit Aufnahme, Nachricht, Fax, Zeitachse, SMS-Text und Notiz. Kosten bleiben im Guthaben und in den Abrechnungen.',
}

export const text = words({
  en: {
    title: 'Recording and retention',
    lead: 'What is kept of calls and messages, and for how long.',
    retentionHint: 'Data older than this is deleted every hour and cannot be restored. If empty, the operator’s limit applies.',
    recordingHint: 'Applies however a recording begins: by the interface, in the console or by an assistant. Voicemails are not affected.',
    ownRules: 'A number can have its own rule.',
    toNumbers: 'Numbers',
    hints: hintsInEnglish,
    unit: ' days',
    operators: (limit: string) => `Operator: ${limit}`,
    confirm: {
      title: 'Delete older data?',
      body: 'What is older than the new limits is deleted now. This cannot be undone.',
      do: 'Save and delete',
    },
  },
  de: {
    title: 'Aufnahme und Aufbewahrung',
    lead: 'Was von Anrufen und Nachrichten gespeichert wird und wie lange.',
    retentionHint:
      'Was älter ist, wird stündlich gelöscht und lässt sich nicht wiederherstellen. Bleibt ein Feld leer, gilt die Frist des Betreibers.',
    recordingHint:
      'Gilt, wie auch immer eine Aufnahme beginnt: über die Schnittstelle, in der Konsole oder durch einen Assistenten. Die Mailbox ist nicht betroffen.',
    ownRules: 'Eine Rufnummer kann eine eigene Regel haben.',
    toNumbers: 'Rufnummern',
    hints: hintsInGerman,
    unit: ' Tage',
    operators: (limit: string) => `Betreiber: ${limit}`,
    confirm: {
      title: 'Ältere Daten löschen?',
      body: 'Was älter ist als die neuen Fristen, wird jetzt gelöscht. Das lässt sich nicht rückgängig machen.',
      do: 'Speichern und löschen',
    },
  },
})
