import { words } from '#words/languages.ts'

export const text = words({
  en: {
    keys: 'Keys of the telephone',
    keysHint: 'They work without a model, too, and when the model does not answer.',
    none: 'No key does anything.',
    add: 'Add key',
    remove: (digit: string) => `Remove key ${digit}`,
    digit: 'Key',
    does: 'What it does',
    deeds: { say: 'Says something', take_message: 'Takes a message', transfer: 'Puts through', hang_up: 'Hangs up' },
    transferTo: 'To whom',
    noTarget: 'Under Tools, say first to whom callers may be put through.',
    words: 'What it says',
    wordsBefore: 'What it says before',
  },
  de: {
    keys: 'Tasten des Telefons',
    keysHint: 'Sie gehen auch ohne Modell, und wenn das Modell nicht antwortet.',
    none: 'Keine Taste tut etwas.',
    add: 'Taste hinzufügen',
    remove: (digit: string) => `Taste ${digit} entfernen`,
    digit: 'Taste',
    does: 'Was sie tut',
    deeds: { say: 'Sagt etwas', take_message: 'Nimmt eine Nachricht auf', transfer: 'Stellt durch', hang_up: 'Legt auf' },
    transferTo: 'Zu wem',
    noTarget: 'Sag erst unter Werkzeuge, zu wem durchgestellt werden darf.',
    words: 'Was sie sagt',
    wordsBefore: 'Was vorher gesagt wird',
  },
})
