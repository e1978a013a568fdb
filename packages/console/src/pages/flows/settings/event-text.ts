import { words } from '#words/languages.ts'

export const text = words({
  en: {
    events: 'More events',
    eventsHint: 'Strict endpoints may not know these events, so each one is sent only if you select it.',
    all: 'All common events',
    when: {
      assistant_speech_ended: 'The assistant has finished speaking',
      user_input_timeout: 'The caller did not start speaking in time',
      dtmf_received: 'A key was pressed',
      user_speech_started: 'The caller starts speaking (WebSocket only)',
      action_discarded: 'An answer came too late',
      transfer_failed: 'The target did not answer',
      machine_detected: 'A person or an answering machine has answered',
      session_resumed: 'Another machine continues the call',
      user_speech_unclear: 'The caller spoke but was not understood',
      user_backchannel: 'The caller only signalled that they are listening (“mhm”)',
      user_speak_partial: 'Partial transcript while the caller speaks (WebSocket only)',
      user_speak_preview: 'The caller has probably finished; lets you answer early',
      user_speak_revoked: 'The caller goes on speaking after all (belongs to user_speak_preview)',
    },
    offer: 'Your endpoint is connected and can receive more events',
    offerHint:
      'Keys, silence, unclear speech, the end of each announcement and failed transfers, as well as the confidence and language of what callers say. Programs should ignore events they do not know.',
    take: 'Send all common events',
    decline: 'No, thanks',
  },
  de: {
    events: 'Weitere Ereignisse',
    eventsHint: 'Strenge Endpunkte kennen diese Ereignisse vielleicht nicht, deshalb wird jedes nur auf Wunsch gesendet.',
    all: 'Alle üblichen',
    when: {
      assistant_speech_ended: 'Der Assistent hat ausgeredet',
      user_input_timeout: 'Der Anrufer hat nicht rechtzeitig angefangen zu sprechen',
      dtmf_received: 'Eine Taste wurde gedrückt',
      user_speech_started: 'Der Anrufer fängt an zu sprechen (nur WebSocket)',
      action_discarded: 'Eine Antwort kam zu spät',
      transfer_failed: 'Das Ziel hat den Anruf nicht angenommen',
      machine_detected: 'Ein Mensch oder ein Anrufbeantworter hat abgenommen',
      session_resumed: 'Ein anderer Server führt den Anruf weiter',
      user_speech_unclear: 'Der Anrufer hat gesprochen, wurde aber nicht verstanden',
      user_backchannel: 'Der Anrufer hat nur gezeigt, dass er zuhört („mhm“)',
      user_speak_partial: 'Zwischenergebnis, während der Anrufer spricht (nur WebSocket)',
      user_speak_preview: 'Der Anrufer hat wahrscheinlich ausgeredet; du kannst früher antworten',
      user_speak_revoked: 'Der Anrufer spricht doch weiter (gehört zu user_speak_preview)',
    },
    offer: 'Dein Endpunkt ist verbunden und kann weitere Ereignisse bekommen',
    offerHint:
      'Tasten, Stille, Unverständliches, das Ende jeder Ansage und gescheitertes Weiterverbinden, dazu Erkennungssicherheit und Sprache des Gesagten. Programme sollten unbekannte Ereignisse ignorieren.',
    take: 'Alle üblichen Ereignisse senden',
    decline: 'Nein, danke',
  },
})
