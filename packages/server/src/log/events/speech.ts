import type { LogEvent } from './log-event.ts'

const nothing = 'None.'

/** Speech models, voices and recognisers. */
export const speechEvents = {
  speech_models_off: {
    level: 'warn',
    text: 'OFFHOOK_MODELS=off: only providers recognise speech, and every loud sound counts as speech',
    action: 'Nothing if this is intended; else remove the setting.',
  },
  speech_models_unusable: {
    level: 'warn',
    text: 'no speech model runs on this machine: only providers recognise speech, and every loud sound counts as speech',
    action: 'Set up a provider (guide `speech-providers.md`), or use a machine for which `why` does not hold.',
  },
  speech_models_fetching: {
    level: 'warn',
    text: 'speech models are missing and are being fetched; until then embedded speech is unavailable',
    action: nothing,
  },
  speech_models_fetched: { level: 'info', text: 'all speech models are here', action: nothing },
  speech_models_missing: {
    level: 'error',
    text: 'speech models could not be fetched: embedded speech is unavailable',
    action: 'Run `npx offhook models`; `why` says what failed.',
  },
  speech_model_loading: { level: 'info', text: 'a speech model is being loaded', action: nothing },
  speech_model_loaded: { level: 'info', text: 'a speech model is loaded', action: nothing },
  speech_detector_died: {
    level: 'error',
    text: 'a thread that detects speech died; its calls are over',
    action: 'Report it with the stack in `err`.',
  },
  voices_limited: {
    level: 'info',
    text: 'espeak-ng is not installed: without it or a provider only the languages in `spoken` are spoken',
    action: 'Install espeak-ng if flows speak other languages.',
  },
  voice_unavailable: {
    level: 'warn',
    text: 'the language of a flow cannot be spoken',
    action: '`why` says what is missing: install espeak-ng, or choose a provider that speaks the language.',
  },
  voice_replaced: {
    level: 'warn',
    text: 'another voice speaks instead of the embedded one',
    action: 'Run `npx offhook models`; `err` says what is missing.',
  },
  speech_cache_unusable: {
    level: 'warn',
    text: 'sound that was made cannot be kept for the next start',
    action: 'Let the service write its folder (`OFFHOOK_SPEECH_CACHE`), or set it to `off`.',
  },
  espeak_unusable: {
    level: 'warn',
    text: 'espeak-ng is installed but does not work',
    action: '`err` says why; install the package anew.',
  },
  recogniser_language_unknown: {
    level: 'warn',
    text: 'the embedded recogniser does not know the language of a flow and guesses which one it hears',
    action: 'Choose a provider that recognises the language.',
  },
  recogniser_replaced: {
    level: 'warn',
    text: 'the model that should recognise speech is not there, and another one does',
    action: 'Run `npx offhook models`; `why` says what is missing.',
  },
  recogniser_sheds_load: {
    level: 'warn',
    text: 'callers’ words wait for the recogniser, so the smaller English model writes some of them',
    action: 'If it happens often: more processors or machines, or a speech provider.',
  },
  recogniser_keeps_up: { level: 'info', text: 'the larger English model has written everything for ten seconds', action: nothing },
  recogniser_not_loaded: {
    level: 'warn',
    text: 'a recogniser could not be loaded',
    action: '`why` says what is missing: run `npx offhook models`, or give the machine more memory.',
  },
  turn_model_unusable: {
    level: 'error',
    text: 'the model that finds ends of turns cannot be used: the rule decides',
    action: '`why` says what is wrong with its file: OFFHOOK_TURN_MODEL, or assets/turn-model of the package.',
  },
  turn_model_died: {
    level: 'error',
    text: 'the thread of the model that finds ends of turns died and is started again',
    action: 'If it happens again, give the machine more memory, or do without the model: OFFHOOK_TURN_MODEL=off.',
  },
  speech_request_failed: {
    level: 'error',
    text: 'the speech service could not carry out a request',
    action: 'Report it with the stack in `err`.',
  },
  speech_servers_changed: { level: 'info', text: 'speech services were found, or left', action: nothing },
  speech_service_away: {
    level: 'error',
    text: 'no speech service answers: OFFHOOK_SPEECH_FALLBACK hears and speaks',
    action: 'Start `offhook speech`; `why` says what the last one did. Without a fallback assistants neither hear nor speak.',
  },
  speech_service_back: { level: 'info', text: 'a speech service answers again', action: nothing },
  recogniser_thread_died: {
    level: 'error',
    text: 'a recogniser thread died and is replaced',
    action: 'If it happens again, give the machine more memory.',
  },
} as const satisfies Record<string, LogEvent>
