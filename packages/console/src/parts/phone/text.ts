import { words } from '#words/languages.ts'

export const text = words({
  en: {
    call: 'Call from this browser',
    desk: 'Call with my desk phone',
    assistant: 'Let an assistant call',
    sms: 'Send an SMS',
    addContact: 'Add to contacts',
    copy: 'Copy number',
    copied: 'Number copied',
  },
  de: {
    call: 'Mit diesem Browser anrufen',
    desk: 'Mit meinem Tischtelefon anrufen',
    assistant: 'Einen Assistenten anrufen lassen',
    sms: 'SMS schreiben',
    addContact: 'Zu Kontakten hinzufügen',
    copy: 'Nummer kopieren',
    copied: 'Nummer kopiert',
  },
})
