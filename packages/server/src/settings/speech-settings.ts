import { secretWord, setting } from './setting.ts'
import { matching, oneOf, optionally, wholeNumber } from './setting-values.ts'
import { address, apiKey, azureVoices, baseUrl, bytes, fallbackList, keyList, name, optional, speechServers } from './setting-values.ts'

/** Speech recognition and synthesis of assistants: embedded models, and providers. */
export const speechSettings = {
  OFFHOOK_SPEECH: setting(
    'embedded',
    'How assistants hear and speak when their flow names no provider. embedded: with models on this machine. service: with speech services (offhook speech) that are found over OFFHOOK_BUS or named in OFFHOOK_SPEECH_URL. tones: as sequences of tones, for tests. off: not at all.',
    oneOf('embedded', 'service', 'tones', 'off'),
  ),
  OFFHOOK_SPEECH_URL: setting(
    '',
    'Speech services for OFFHOOK_SPEECH=service, besides those on the bus: addresses such as https://speech1.example:8090/v1, separated by commas. Other servers with the OpenAI audio interface will do. http:// only on this machine: voices and the key cross it.',
    speechServers,
  ),
  OFFHOOK_SPEECH_KEY: secretWord(
    'Key of those services. offhook speech demands it from everybody who is not on its bus; several, separated by commas, while it is changed: the first one is sent.',
    keyList,
  ),
  OFFHOOK_SPEECH_LISTEN: setting(
    '127.0.0.1:8090',
    'Address of offhook speech. Elsewhere than on this machine it speaks TLS: with OFFHOOK_TLS_CERT, or with a certificate of its own, which processes on its bus know. Port 0 picks a free one.',
    address,
  ),
  OFFHOOK_SPEECH_FALLBACK: setting(
    'embedded',
    'What hears and speaks while no speech service answers: embedded (models on this machine, if offhook models has fetched them), openai, deepgram, eleven_labs, azure; several in this order, separated by commas. off: nothing.',
    fallbackList,
  ),
  OFFHOOK_SPEECH_STT_MODEL: setting('whisper-1', 'The model that hears, for servers in OFFHOOK_SPEECH_URL.', name),
  OFFHOOK_SPEECH_TTS_MODEL: setting('tts-1', 'The model that speaks, for those servers.', name),
  OFFHOOK_SPEECH_VOICE: setting('alloy', 'The voice of flows and actions that name none, for those that are not offhook speech.', name),
  OFFHOOK_MODELS: setting(
    '',
    'Folder of the speech models, shared by all installations of a user. Default: offhook/models in the user’s cache folder. off: none are fetched.',
    optional,
  ),
  OFFHOOK_ENGLISH: setting(
    'auto',
    'Which Moonshine hears English. base makes a third fewer mistakes than tiny, half of them in noise, for 1.6 times the processor time and 73 MB more to fetch. auto: base from 2 processors and 2 GB of memory (1.1 GB for each speech thread and 0.8 for the rest).',
    oneOf('auto', 'base', 'tiny'),
  ),
  OFFHOOK_WHISPER: setting(
    'auto',
    'Which Whisper hears every language but English. small makes up to half the mistakes of base for nearly three times the processor time and 166 MB to fetch instead of 52. auto: small from 4 processors and 4 GB of memory (1.6 GB for each speech thread and 0.8 for the rest).',
    oneOf('auto', 'base', 'small'),
  ),
  OFFHOOK_TURN_MODEL: setting(
    '',
    'A model of your own that says whether a caller who pauses has finished: an ONNX file that takes the last 8 seconds, as sound (float32 [1, 128000], 16 kHz) or as Whisper’s log-mel features (float32 [1, 80, 800], as Smart Turn v3 does), and gives a probability. Default: our own model of the words, in English with the recogniser’s marks and the voice. off: a rule of words, marks and voice.',
    optional,
  ),
  OFFHOOK_SPEECH_WORKERS: setting(
    '0',
    'Threads that recognise speech, and as many that synthesise it. 0: half as many as there are processors, at least one.',
    wholeNumber,
  ),
  OFFHOOK_SPEECH_CACHE: setting(
    '',
    'Folder where the sound of sentences is kept for the next start: the flows’ own texts, and what embedded voices said in at least three calls. Default: speech-cache in the data folder. off: nothing is kept.',
    optional,
  ),
  OFFHOOK_SPEECH_CACHE_BYTES: setting(
    '268435456',
    'How many bytes that folder may have. The longest unused goes first, and everything after 30 days.',
    bytes,
  ),
  OFFHOOK_OPENAI_URL: setting(
    '',
    'Server that speaks the OpenAI audio interface, for example http://127.0.0.1:8000/v1. Default: https://api.openai.com/v1 if there is a key.',
    baseUrl,
  ),
  OFFHOOK_OPENAI_KEY: secretWord(
    'Its key; servers of your own may need none. Enables the provider openai for hearing and speaking.',
    apiKey,
  ),
  OFFHOOK_OPENAI_STT_MODEL: setting('gpt-4o-mini-transcribe', 'The model that hears.', name),
  OFFHOOK_OPENAI_TTS_URL: setting('', 'Another server that speaks, with the same key. Default: OFFHOOK_OPENAI_URL.', baseUrl),
  OFFHOOK_OPENAI_TTS_MODEL: setting('gpt-4o-mini-tts', 'The model that speaks.', name),
  OFFHOOK_OPENAI_TTS_FORMAT: setting(
    'pcm',
    'pcm: bare samples at 24 kHz. wav: the server says its rate, for voices that have another one.',
    oneOf('pcm', 'wav'),
  ),
  OFFHOOK_OPENAI_VOICE: setting('alloy', 'The voice of flows and actions that name none.', name),
  OFFHOOK_DEEPGRAM_KEY: secretWord('Key for Deepgram. Enables the provider deepgram for hearing.', apiKey),
  OFFHOOK_DEEPGRAM_URL: setting('https://api.deepgram.com', 'Where Deepgram is, for example https://api.eu.deepgram.com.', baseUrl),
  OFFHOOK_DEEPGRAM_MODEL: setting('nova-3', 'The model that hears.', name),
  OFFHOOK_ELEVENLABS_KEY: secretWord('Key for ElevenLabs. Enables the provider eleven_labs for hearing and speaking.', apiKey),
  OFFHOOK_ELEVENLABS_URL: setting('https://api.elevenlabs.io', 'Where ElevenLabs is.', baseUrl),
  OFFHOOK_ELEVENLABS_MODEL: setting('eleven_flash_v2_5', 'The model that speaks.', name),
  OFFHOOK_ELEVENLABS_STT_MODEL: setting('scribe_v2_realtime', 'The model that hears.', name),
  OFFHOOK_ELEVENLABS_VOICE: setting(
    'Sarah',
    'The voice of flows and actions that name none: Rachel, Sarah, George, Thomas or an id.',
    name,
  ),
  OFFHOOK_AZURE_KEY: secretWord(
    'Key of an Azure Speech resource. With region or URL it enables the provider azure for hearing and speaking.',
    apiKey,
  ),
  OFFHOOK_AZURE_REGION: setting(
    '',
    'Region of that resource, for example westeurope.',
    optionally(matching(/^[a-z0-9]{2,40}$/, 'a region such as westeurope')),
  ),
  OFFHOOK_AZURE_URL: setting('', 'Its own address instead of the region’s, for example https://name.cognitiveservices.azure.com.', baseUrl),
  OFFHOOK_AZURE_VOICES: setting(
    'en-US-JennyNeural,de-DE-KatjaNeural,en-GB-SoniaNeural,fr-FR-DeniseNeural,es-ES-ElviraNeural,it-IT-ElsaNeural,nl-NL-ColetteNeural',
    'Azure’s voice for each language where flows and actions name none.',
    azureVoices,
  ),
}
