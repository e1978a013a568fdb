import { words } from '#words/languages.ts'

export const text = words({
  en: {
    title: 'Audit log',
    description: 'Who changed what. Each entry carries the hash of the one before, so that nothing can be changed or left out unnoticed.',
    list: 'Entries',
    whose: 'Log of',
    installation: 'The installation',
    none: 'No entry yet',
    noneHint: 'Every change of the operator and everything that concerns the security of an account is written down here.',
    verify: 'Verify all',
    intact: (entries: string, chains: string) => `Nothing was changed: ${entries} entries in ${chains} logs.`,
    broken: 'Somebody has changed the log:',
    brokenAt: (chain: string, seq: number) => `log ${chain}, from entry ${seq} on`,
  },
  de: {
    title: 'Protokoll',
    description:
      'Wer was geändert hat. Jeder Eintrag trägt die Prüfsumme des vorigen, damit nichts unbemerkt geändert oder weggelassen werden kann.',
    list: 'Einträge',
    whose: 'Protokoll von',
    installation: 'Der Installation',
    none: 'Noch kein Eintrag',
    noneHint: 'Jede Änderung des Betreibers und alles, was die Sicherheit eines Kontos betrifft, steht hier.',
    verify: 'Alles prüfen',
    intact: (entries: string, chains: string) => `Nichts wurde verändert: ${entries} Einträge in ${chains} Protokollen.`,
    broken: 'Jemand hat das Protokoll verändert:',
    brokenAt: (chain: string, seq: number) => `Protokoll ${chain}, ab Eintrag ${seq}`,
  },
})
