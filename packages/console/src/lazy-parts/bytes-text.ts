import { words } from '../words/languages.ts'

export const text = words({
  en: {
    headers: (count: number) => `Headers (${count})`,
    body: 'Body',
    emptyBody: 'The body is empty.',
    pretty: 'Formatted',
    raw: 'As sent',
    cut: (kept: string, all: string) => `Only the first ${kept} of ${all} are stored.`,
    copyBody: 'Copy body',
    copied: 'Copied',
  },
  de: {
    headers: (count: number) => `Header (${count})`,
    body: 'Inhalt',
    emptyBody: 'Der Inhalt ist leer.',
    pretty: 'Formatiert',
    raw: 'Wie gesendet',
    cut: (kept: string, all: string) => `Nur die ersten ${kept} von ${all} sind gespeichert.`,
    copyBody: 'Inhalt kopieren',
    copied: 'Kopiert',
  },
})
