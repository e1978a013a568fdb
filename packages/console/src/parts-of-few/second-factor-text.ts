import { words } from '../words/languages.ts'

export const text = words({
  en: {
    scan: 'Scan this with an authenticator app on your phone.',
    qrLabel: 'QR code for the authenticator app',
    byHand: 'Or enter this key by hand',
    appCode: 'Code that the app shows',
    confirm: 'Confirm',
    codesTitle: 'Recovery codes',
    codesLead:
      'Each of these opens your account once, when your phone is not at hand. Print them or put them in a safe place: they are shown only now.',
    copyCodes: 'Copy all',
    copied: 'Copied',
    kept: 'I have saved them',
    usePasskey: 'Use a passkey',
    noPasskey: 'The browser gave no passkey: it was cancelled, took too long, or there is none that fits.',
  },
  de: {
    scan: 'Scanne das mit einer Authenticator-App auf deinem Telefon.',
    qrLabel: 'QR-Code für die Authenticator-App',
    byHand: 'Oder gib diesen Schlüssel von Hand ein',
    appCode: 'Code, den die App zeigt',
    confirm: 'Bestätigen',
    codesTitle: 'Wiederherstellungscodes',
    codesLead:
      'Jeder davon öffnet dein Konto einmal, wenn dein Telefon nicht zur Hand ist. Drucke sie aus oder lege sie an einen sicheren Ort: Sie werden nur jetzt gezeigt.',
    copyCodes: 'Alle kopieren',
    copied: 'Kopiert',
    kept: 'Ich habe sie gespeichert',
    usePasskey: 'Passkey benutzen',
    noPasskey: 'Der Browser gab keinen Passkey: Es wurde abgebrochen, dauerte zu lange, oder es gibt keinen passenden.',
  },
})
