export interface Groups {}
