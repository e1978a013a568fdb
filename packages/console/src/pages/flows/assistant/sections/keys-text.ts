import { words } from '#words/languages.ts'

export const text = words({
  en: {
    keys: 'Phone keys',
    keysHint: 'They also work without a model, or when the model does not answer.',
    none: 'No keys assigned.',
    add: 'Add key',
    remove: (digit: string) => `Remove key ${digit}`,
    digit: 'Key',
    does: 'Action',
    deeds: { say: 'Say something', take_message: 'Take a message', transfer: 'Transfer', hang_up: 'Hang up' },
    transferTo: 'Transfer to',
    noTarget: 'First add a transfer target under Tools.',
    words: 'What to say',
    wordsBefore: 'What to say first',
  },
  de: {
    keys: 'Telefontasten',
    keysHint: 'Sie funktionieren auch ohne Modell oder wenn das Modell nicht antwortet.',
    none: 'Keine Tasten belegt.',
    add: 'Taste hinzufügen',
    remove: (digit: string) => `Taste ${digit} entfernen`,
    digit: 'Taste',
    does: 'Aktion',
    deeds: { say: 'Etwas sagen', take_message: 'Nachricht aufnehmen', transfer: 'Weiterverbinden', hang_up: 'Auflegen' },
    transferTo: 'Weiterverbinden mit',
    noTarget: 'Füge zuerst unter „Werkzeuge“ ein Ziel hinzu.',
    words: 'Was gesagt wird',
    wordsBefore: 'Was vorher gesagt wird',
  },
})
