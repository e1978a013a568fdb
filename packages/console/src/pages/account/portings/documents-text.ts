import { words } from '#words/languages.ts'

export const documentsText = words({
  en: {
    title: 'Documents',
    drop: 'Upload a PDF: the signed form or the latest invoice of your current provider',
    hint: 'Drop it here or choose it. Up to five documents of 5 MB each',
    notPdf: 'This is not a PDF.',
    tooLarge: 'This file is larger than 5 MB.',
    handedIn: 'Uploaded. Your operator can now read it.',
    named: (name: string, size: string) => `${name} (${size})`,
    remove: 'Delete',
    removeOf: (name: string) => `Delete ${name}`,
    removed: 'Deleted',
  },
  de: {
    title: 'Unterlagen',
    drop: 'PDF hochladen: das unterschriebene Formular oder die letzte Rechnung deines bisherigen Anbieters',
    hint: 'Hierher ziehen oder auswählen. Höchstens fünf Dateien mit je 5 MB',
    notPdf: 'Das ist kein PDF.',
    tooLarge: 'Diese Datei ist größer als 5 MB.',
    handedIn: 'Hochgeladen. Dein Betreiber kann die Datei jetzt lesen.',
    named: (name: string, size: string) => `${name} (${size})`,
    remove: 'Löschen',
    removeOf: (name: string) => `${name} löschen`,
    removed: 'Gelöscht',
  },
})
