import { words } from '#words/languages.ts'

export const documentsText = words({
  en: {
    title: 'Documents',
    drop: 'Hand in a PDF: the signed form, or the last invoice of your current provider',
    hint: 'Drop it here or choose it; up to 5 MB, five documents',
    notPdf: 'This is no PDF.',
    tooLarge: 'This file is larger than 5 MB.',
    handedIn: 'Handed in. The operator of this service can read it now.',
    named: (name: string, size: string) => `${name} (${size})`,
    remove: 'Delete',
    removeOf: (name: string) => `Delete ${name}`,
    removed: 'Deleted',
  },
  de: {
    title: 'Unterlagen',
    drop: 'PDF einreichen: das unterschriebene Formular oder die letzte Rechnung deines bisherigen Anbieters',
    hint: 'Hierher ziehen oder auswählen; bis 5 MB, höchstens fünf Dateien',
    notPdf: 'Das ist kein PDF.',
    tooLarge: 'Diese Datei ist größer als 5 MB.',
    handedIn: 'Eingereicht. Der Betreiber kann die Datei jetzt lesen.',
    named: (name: string, size: string) => `${name} (${size})`,
    remove: 'Löschen',
    removeOf: (name: string) => `${name} löschen`,
    removed: 'Gelöscht',
  },
})
