import { words } from '#words/languages.ts'

export const text = words({
  en: {
    deskTitle: (who: string) => `Call ${who} with a desk phone`,
    deskLead: 'Your phone rings first. When you pick it up, the other side is called.',
    device: 'Phone',
    noDevice: 'This browser is your only phone. Add another one under Devices.',
    offline: 'not connected',
    call: 'Call',
    ringsNow: 'Your phone is ringing now',
    assistantTitle: (who: string) => `Let an assistant call ${who}`,
    assistantLead: 'The assistant calls from its own number and handles the conversation. You can follow the call under Calls.',
    flow: 'Assistant',
    noFlow: 'No assistants yet.',
    pays: 'Charged to',
    notReviewed: 'Your operator has not allowed your assistants to make calls yet. Ask them to review what you need it for.',
    reviewed: 'Reviewed: your assistants can make calls.',
    calling: 'The assistant is calling',
  },
  de: {
    deskTitle: (who: string) => `${who} mit einem Tischtelefon anrufen`,
    deskLead: 'Zuerst klingelt dein Telefon. Sobald du abnimmst, wird die andere Seite angerufen.',
    device: 'Telefon',
    noDevice: 'Dieser Browser ist dein einziges Telefon. Unter „Geräte“ kannst du ein weiteres hinzufügen.',
    offline: 'nicht verbunden',
    call: 'Anrufen',
    ringsNow: 'Dein Telefon klingelt jetzt',
    assistantTitle: (who: string) => `${who} von einem Assistenten anrufen lassen`,
    assistantLead: 'Der Assistent ruft mit seiner eigenen Rufnummer an und führt das Gespräch selbst. Den Anruf findest du unter „Anrufe“.',
    flow: 'Assistent',
    noFlow: 'Noch keine Assistenten.',
    pays: 'Abgerechnet über',
    notReviewed:
      'Dein Betreiber hat deinen Assistenten noch nicht erlaubt, jemanden anzurufen. Bitte ihn, zu prüfen, wofür du das brauchst.',
    reviewed: 'Geprüft: Deine Assistenten dürfen anrufen.',
    calling: 'Der Assistent ruft an',
  },
})
