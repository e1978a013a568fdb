import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Audit log',
    description: 'Who changed what. Each entry contains the hash of the previous one, so entries cannot be altered or removed unnoticed.',
    list: 'Entries',
    whose: 'Log of',
    installation: 'The installation',
    none: 'No entries yet',
    noneHint: 'Every change by an operator and everything that affects the security of an account is recorded here.',
    verify: 'Verify log',
    intact: (entries: string, chains: string) => `Nothing was changed: ${entries} entries in ${chains} logs.`,
    broken: 'The log has been altered:',
    brokenAt: (chain: string, seq: number) => `log ${chain}, from entry ${seq} on`,
  },
  de: {
    title: 'Protokoll',
    description:
      'Wer was geändert hat. Jeder Eintrag enthält die Prüfsumme des vorigen, sodass sich nichts unbemerkt ändern oder entfernen lässt.',
    list: 'Einträge',
    whose: 'Protokoll von',
    installation: 'Der Installation',
    none: 'Noch keine Einträge',
    noneHint: 'Jede Änderung des Betreibers und alles, was die Sicherheit eines Kontos betrifft, steht hier.',
    verify: 'Protokoll prüfen',
    intact: (entries: string, chains: string) => `Nichts wurde verändert: ${entries} Einträge in ${chains} Protokollen.`,
    broken: 'Das Protokoll wurde verändert:',
    brokenAt: (chain: string, seq: number) => `Protokoll ${chain}, ab Eintrag ${seq}`,
  },
})
