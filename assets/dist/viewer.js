"use strict";(()=>{var SIZES=[1048576,16777216,67108864,268435456,1073741824],SIZE_LABELS=["under 1 MiB","1 to 16 MiB","16 to 64 MiB","64 to 256 MiB","256 MiB to 1 GiB","1 GiB and\
 more"],LIVES=[10,100,1e3,1e4],LIFE_LABELS=["up to 10 events","11 to 100 events","101 to 1,000 events","1,001 to 10,000 events","over 10,000 events","live at th\
e end"],COLORS={light:["#c3e2ff","#a3c1df","#84a2bf","#67839f","#4b6681","#304a64"],dark:["#203a53","#38526c","#506c87","#6a86a2","#84a2bf","#a0bedc"]};function bySize({
count:count2,size},theme){let of=new Uint8Array(count2);for(let i=0;i<count2;i++)of[i]=classOf(size[i]+1,SIZES);return classes("size",of,SIZE_LABELS,theme)}function byLife({
count:count2,first,last,events},theme){let of=new Uint8Array(count2);for(let i=0;i<count2;i++)of[i]=last[i]===events?LIFE_LABELS.length-1:classOf(last[i]-first[i]+
1,LIVES);return classes("life",of,LIFE_LABELS,theme)}function classOf(v,bounds2){let c=0;for(;c<bounds2.length&&v>bounds2[c];)c++;return c}function classes(mode,of,labels,theme){
let top=labels.length-1,present=new Uint8Array(labels.length);for(let i=0;i<of.length;i++)present[of[i]=top-of[i]]=1;let colors=[...COLORS[theme]].reverse(),groups=[
...labels].reverse().map((label,i)=>({label,one:"tensor",name:String(top-i),color:colors[i],ink:isLight(colors[i])?"#0f1216":"#ffffff"}));return{mode,of,present,
tones:of,colors,groups}}function isLight(color){let[r,g,b]=[1,3,5].map(i=>(parseInt(color.slice(i,i+2),16)/255)**2.2);return .2126*r+.7152*g+.0722*b>.19}function byFamily(data,stacks,report,theme){let palette=report.palette[theme],hue=report.families.map(f=>Math.min(palette.length-1,f.hue)),{count:count2,family,
stack}=data,of=new Uint8Array(count2),tones=new Uint8Array(count2),present=new Uint8Array(hue.length),shade=shadesOf(stacks);for(let i=0;i<count2;i++){let f=Math.
min(hue.length-1,family[i]);of[i]=f,present[f]=1,tones[i]=hue[f]*5+(shade[stack[i]]??2)}return{mode:"family",of,present,tones,colors:palette.flatMap(h2=>h2.shades),
groups:report.families.map((f,i)=>({label:f.label,one:f.one,name:f.key,color:palette[hue[i]].color,ink:palette[hue[i]].ink}))}}function shadesOf(stacks){return Uint8Array.
from(stacks.shade,(s,i)=>i===0?2:Math.min(4,s))}var SCHEMA="memviz.report/1";function parseReport(text){let report=JSON.parse(text);if(report.schema!==SCHEMA)throw new Error(`this viewer reads ${SCHEMA}, the \
page holds ${report.schema}`);return report}function streamName(streams,i){return i===0?"stream 0":`stream ${streams[i]??i}`}var Strings=class{constructor(text,ends){this.text=text,this.ends=ends,this.decoded=[],this.decoder=new TextDecoder}get length(){return this.ends.length-1}at(i){
return i>=0&&i<this.length?this.decoded[i]??=this.decoder.decode(this.text.subarray(this.ends[i],this.ends[i+1])):""}};var LONGEST=9,GOES_ON=2155905152,ColumnReader=class{constructor(bytes2){this.bytes=bytes2,this.view=new DataView(bytes2.buffer,bytes2.byteOffset,bytes2.length),
this.at=0}unsigned(){return this.#column(UNSIGNED)}ascending(){return this.#column(UNSIGNED,summing())}signed(){return this.#column(SIGNED,unzigzag)}signedSums(){
return this.#column(SIGNED,unzigzag,summing())}strings(){let lengths=this.unsigned().values,n2=lengths.length,ends=new Float64Array(n2+1);for(let i=0;i<n2;i++)ends[i+
1]=ends[i]+lengths[i];if(ends[n2]>this.bytes.length-this.at)throw new RangeError("payload ends inside a string");let text=this.bytes.subarray(this.at,this.at+ends[n2]);
return this.at+=ends[n2],new Strings(text,ends)}#column(widths,...steps){let length=new Varints(this.#skip(1)).decode(1),left=this.bytes.length-this.at;if(length>
left)throw new RangeError(`column of ${length} values in ${left} bytes`);return new PackedColumn(this.#skip(length),length,widths,steps)}#skip(n2){let{bytes:bytes2,
view,at:from}=this,at=from,missing=n2;for(let last=bytes2.length-4;missing>=4&&at<=last;at+=4){let ends=~view.getUint32(at,!0)&GOES_ON;ends===0&&expectShort(bytes2,
from,at),missing-=Math.imul(ends>>>7,16843009)>>>24}for(;missing>0&&at<bytes2.length;at++)bytes2[at]<128?missing--:expectShort(bytes2,from,at);if(missing>0)throw new RangeError(
"payload ends inside a column");return this.at=at,bytes2.subarray(from,at)}};function expectShort(bytes2,from,at){let first=at;for(;first>from&&bytes2[first-1]>=
128;)first--;let last=at;for(;bytes2[last]>=128;)last++;if(last-first>=LONGEST)throw new RangeError(`varint too long at byte ${first}`)}var WHOLE={Type:Float64Array,
reach:1/0},UNSIGNED=[{Type:Uint8Array,reach:2**8-1},{Type:Uint16Array,reach:2**16-1},{Type:Uint32Array,reach:2**32-1},WHOLE],SIGNED=[{Type:Int32Array,reach:2**31-
1},WHOLE],BLOCK=1024,block=new Float64Array(BLOCK),PackedColumn=class{#packed;#values=null;#widths;#steps;constructor(packed,length,widths,steps){this.#packed=packed,
this.length=length,this.#widths=widths,this.#steps=steps}get values(){return this.#packed&&(this.#values=this.#decode(this.#packed),this.#packed=null),this.#values}#decode(packed){
let{length}=this,widths=this.#widths,steps=this.#steps;if(steps.length===0&&packed.length===length)return packed.slice();let varints=new Varints(packed),width=0,
out=new widths[0].Type(length);for(let i=0;i<length;i+=BLOCK){let n2=Math.min(BLOCK,length-i),reach=varints.decode(n2);for(let step of steps)reach=step(n2,reach);
let had=width;for(;reach>widths[width].reach;)width++;width>had&&(out=copied(out,i,new widths[width].Type(length))),out.set(n2<BLOCK?block.subarray(0,n2):block,
i)}return out}},Varints=class{constructor(bytes2){this.bytes=bytes2,this.at=0}decode(n2){let{bytes:bytes2}=this,{at}=this,largest2=0;for(let i=0;i<n2;i++){let b=bytes2[at++],
value=b&127;for(let scale=128;b>=128;scale*=128)b=bytes2[at++],value+=(b&127)*scale;value>largest2&&(largest2=value),block[i]=value}return this.at=at,largest2}};
function copied(from,n2,to){return to.set(from.subarray(0,n2)),to}function unzigzag(n2,reach){for(let i=0;i<n2;i++){let v=block[i];if(v<2**31)block[i]=v>>>1^-(v&
1);else{let half=Math.floor(v/2);block[i]=half*2===v?half:-half-1}}return Math.floor(reach/2)}function summing(){let total2=0;return n2=>{let sum=total2,low=0,high=0;
for(let i=0;i<n2;i++)block[i]=sum+=block[i],sum>high?high=sum:sum<low&&(low=sum);return total2=sum,Math.max(high,-low-1)}}var USER=0,LIBRARY=1,INTERNAL=2,Stacks=class{constructor(bytes2){let r=new ColumnReader(bytes2);this.strings=r.strings(),this.frameName=r.unsigned().values,this.
frameFile=r.unsigned().values,this.frameLine=r.unsigned().values,this.frameKind=r.unsigned().values;let back=r.unsigned().values;this.nodeFrame=r.unsigned().values,
this.node=r.unsigned().values,this.site=r.unsigned().values,this.operator=r.unsigned().values,this.shade=r.unsigned().values,this.backward=r.unsigned().values,this.
named=r.unsigned().values,this.known=[],this.parent=new Uint32Array(back.length);for(let i=0;i<back.length;i++){if(back[i]<1||back[i]>i+1)throw new RangeError(`\
node ${i+1} has no parent`);this.parent[i]=i+1-back[i]}}get length(){return this.node.length}frames(stack){let out=[],node2=this.node[stack]??0;for(node2>this.parent.
length&&(node2=0);node2>0;node2=this.parent[node2-1])out.push(this.frame(this.nodeFrame[node2-1]));return out}frame(i){return this.known[i]??={name:this.strings.
at(this.frameName[i]),file:this.strings.at(this.frameFile[i]),line:this.frameLine[i]??0,kind:this.frameKind[i]??INTERNAL}}siteFrame(stack){let site=this.site[stack]??
0;return site>0?this.frame(site-1):null}namedFrame(stack){let named=this.named[stack]??0;return named>0?this.frame(named-1):null}operatorOf(stack){return this.strings.
at(this.operator[stack])}isEmpty(stack){return!(this.node[stack]>0)}};var NO_STACK="(no stack recorded)";function slashes(path){return path.replaceAll("\\","/")}function baseName(path){return slashes(path).replace(/^.*\//,"")}function twoLastParts(path){
return slashes(path).split("/").slice(-2).join("/")}function shortPath(frame){let path=slashes(frame.file);if(frame.kind===USER)return twoLastParts(path);let library=/(?:site-packages|dist-packages|lib\/python[\d.]+)\/(?!site-packages|dist-packages)(.*)$/.
exec(path);return library?library[1]:path}function located(path,line2){return line2>0?`${path}:${line2}`:path}function siteOf(stacks,stack){if(stacks.isEmpty(stack))
return plain(NO_STACK,"");let frame=stacks.siteFrame(stack);if(frame){let title=`${located(frame.file,frame.line)} ${frame.name}`;return{key:"f"+title,name:frame.
name,place:located(baseName(frame.file),frame.line),file:frame.file,title}}let operator=stacks.operatorOf(stack);if(stacks.backward[stack])return plain(operator?
`autograd ${operator}`:"autograd");if(operator)return plain(operator);let innermost=stacks.frames(stack)[0];return plain(innermost?innermost.name||located(baseName(
innermost.file),innermost.line):NO_STACK)}function plain(name,key="n"+name,title=name){return{key,name,place:"",file:"",title}}function keyOf(stacks,stack,by){let site=siteOf(
stacks,stack),frame=stacks.siteFrame(stack);return by==="site"||!frame?site:by==="file"?plain(twoLastParts(frame.file),"p"+frame.file,frame.file):plain(frame.name,
"c"+frame.name)}function familySite({key,label}){return plain(label,key)}var SiteTable=class{constructor(data,stacks,families=[]){this.data=data,this.stacks=stacks,
this.known={site:[],file:[],function:[],family:families.map(familySite)},this.perStack=null}site(id,by="site"){return this.#ofStack(this.#codes(by)[id],by)}#codes(by){
return by==="family"?this.data.family:this.data.stack}members(by,key){let codes=this.#codes(by),known=[];return id=>known[codes[id]]??=this.#ofStack(codes[id],by).
key===key}#ofStack(stack,by){return this.known[by][stack]??=keyOf(this.stacks,stack,by)}rows(ids,by,groups){let rows=new Map,ofStack=[],{size}=this.data,codes=this.#codes(
by);for(let id of ids){let row=ofStack[codes[id]]??=this.#row(rows,id,by);row.bytes+=size[id],row.tensors++,row.last=id,size[id]>size[row.largest]&&(row.largest=
id),row.byGroup[groups[id]]=(row.byGroup[groups[id]]??0)+size[id]}for(let row of rows.values()){let most=-1;row.byGroup.forEach((n2,group)=>{n2<=most||(most=n2,
row.group=group)})}return[...rows.values()].sort((a,b)=>b.bytes-a.bytes||b.tensors-a.tensors)}#row(rows,id,by){let site=this.site(id,by),row=rows.get(site.key);
return row||(row={...site,bytes:0,tensors:0,group:0,first:id,last:id,largest:id,byGroup:[]},rows.set(site.key,row)),row}tensors(site){if(!this.perStack){let perStack=this.
perStack=new Uint32Array(this.stacks.length);for(let stack of this.data.stack)perStack[stack]++}let sum=0;return this.perStack.forEach((n2,stack)=>{n2>0&&this.#ofStack(
stack,"site").key===site.key&&(sum+=n2)}),sum}};var MOST=8;function byLargest(mode,device,palette){let{data,stacks}=device,kinds=kindsOf(mode,device),largest2=order(kinds,device).slice(0,MOST),group=new Uint8Array(
kinds.count).fill(largest2.length);largest2.forEach((kind,i)=>group[kind]=i);let shade=shadesOf(stacks),flat=mode==="site"||mode==="stack"?largest2.length:0,of=new Uint8Array(
data.count),tones=new Uint8Array(data.count),present=new Uint8Array(largest2.length+1);for(let id=0;id<of.length;id++){let g=group[kinds.of(id)];of[id]=g,present[g]=
1;let hue=g<largest2.length?g:MOST;tones[id]=hue*5+(g<flat?2:shade[data.stack[id]]??2)}let names=distinct(largest2.map(kinds.name),largest2,mode);return{mode,of,
present,tones,colors:palette.slice(0,MOST+1).flatMap(h2=>h2.shades),groups:[...names,{label:"others"}].map((name,i)=>{let{color,ink}=palette[i<largest2.length?i:
MOST];return{...name,one:"tensor",name:i<largest2.length?String(i):"others",color,ink}})}}function order(kinds,{data,timeline}){let held2=new Float64Array(kinds.
count),made=new Float64Array(kinds.count);for(let id of timeline.live(timeline.peak))held2[kinds.of(id)]+=data.size[id];for(let id=0;id<data.count;id++)made[kinds.
of(id)]+=data.size[id];return[...held2.keys()].filter(k=>made[k]>0).sort((a,b)=>held2[b]-held2[a]||made[b]-made[a]||a-b)}function kindsOf(mode,{data,stacks,file,
report}){let{stack}=data;switch(mode){case"stream":{let{stream}=data;return{count:Math.max(file.streams.length,1),of:id=>stream[id],name:i=>({label:streamName(file.
streams,i)})}}case"pool":{let{pool}=data;return{count:report.pools.length,of:id=>pool[id]??0,name:i=>({label:poolName(report.pools[i])})}}case"stack":return{count:stacks.
length,of:id=>stack[id],name:i=>siteName(keyOf(stacks,i,"site"))}}let known=new Map,sites=[],ofStack=Uint32Array.from({length:stacks.length},(_,s)=>{let site=keyOf(
stacks,s,mode),kind=known.get(site.key);return kind===void 0&&(known.set(site.key,kind=sites.length),sites.push(site)),kind});return{count:sites.length,of:id=>ofStack[stack[id]],
name:i=>siteName(sites[i])}}function siteName({name,place}){return{label:`${name} ${place}`.trimEnd(),short:name===NO_STACK?"no stack":baseName(name)}}function poolName(name){
return name==="default"?"default pool":name==="unknown"?"pool not recorded":`pool ${name}`}function distinct(names,kinds,mode){return mode!=="stack"?names:names.
map((name,i)=>names.some((other,j)=>j!==i&&other.label===name.label)?{...name,label:`${name.label}, stack ${kinds[i]}`}:name)}var MODES=[["family","Family"],["site","Call site"],["file","File"],["stack","Stack"],["size","Size class"],["life","Lifetime"],["stream","Stream"],["pool","Poo\
l"]];function modesOf(device){return MODES.map(([mode,label])=>({mode,label,lacks:lack(device,mode)}))}function lack({data,file,report,hasHistory},mode){switch(mode){case"\
site":case"file":case"stack":return report.with_stack>0?"":"no stacks";case"life":return hasHistory?"":"no history";case"stream":return file.streams.length>1?"":
"only one";case"pool":return report.pools.length>1?"":report.pools[0]==="unknown"?"not recorded":"only one"}return data.count>0?"":"no tensors"}function groupingOf(mode,device,report,theme){
let{data,stacks}=device;return mode==="family"?byFamily(data,stacks,report,theme):mode==="size"?bySize(data,theme):mode==="life"?byLife(data,theme):byLargest(mode,
device,report.palette[theme])}function modeAfter(device,mode){let modes=modesOf(device).filter(m=>m.lacks===""||m.mode===mode);return modes[(modes.findIndex(m=>m.
mode===mode)+1)%modes.length].mode}function readStyle(){let computed=getComputedStyle(document.documentElement),token=name=>computed.getPropertyValue(name).trim();return{theme:document.documentElement.
dataset.theme==="dark"?"dark":"light",font:token("--sans"),paper:token("--bg"),ink:token("--ink"),ink2:token("--ink2"),ink3:token("--ink3"),strong:token("--stro\
ng"),grid:token("--grid"),oom:token("--oom"),halo:token("--halo"),select:token("--select")}}var Pen=class{constructor(g,style){this.g=g,this.style=style}text(text,x,y,{
align="left",color=this.style.ink,weight=400,size=11,halo=!1}={}){let{g}=this;g.font=`${weight} ${size}px ${this.style.font}`,g.textAlign=align,g.textBaseline="\
middle",halo&&(g.lineWidth=3,g.lineJoin="round",g.strokeStyle=this.style.paper,g.strokeText(text,x,y)),g.fillStyle=color,g.fillText(text,x,y)}measure(text,weight=400){
return this.g.font=`${weight} 11px ${this.style.font}`,this.g.measureText(text).width}flag(text,x,y,{fill,color,border,min,max}){let{g}=this,width=this.measure(
text,600)+10,left=Math.round(Math.min(Math.max(min,x-width/2),max-width));return g.beginPath(),g.roundRect(left+.5,Math.round(y)-8.5,width,17,3),g.fillStyle=fill,
g.fill(),border&&(g.lineWidth=1,g.strokeStyle=border,g.stroke()),this.text(text,left+5.5,Math.round(y)+.5,{color,weight:600}),[left,left+width]}line(x0,y0,x1,y1,{
color,width=1,dash=[]}){this.g.beginPath(),this.g.moveTo(x0,y0),this.g.lineTo(x1,y1),this.stroke(color,width,dash)}fill(color,x,y,width,height){this.g.fillStyle=
color,this.g.fillRect(x,y,width,height)}stroke(color,width,dash=[]){let{g}=this;g.strokeStyle=color,g.lineWidth=width,g.setLineDash(dash),g.stroke(),g.setLineDash(
[])}triangle(x,y,half,height,color){let{g}=this;g.beginPath(),g.moveTo(x,y),g.lineTo(x-half,y-height),g.lineTo(x+half,y-height),g.closePath(),g.fillStyle=color,
g.fill()}clip(x,y,width,height,draw){let{g}=this;g.save(),g.beginPath(),g.rect(x,y,width,height),g.clip(),draw(),g.restore()}};function freshContext(canvas,width,height){
let ratio=devicePixelRatio,w=Math.round(width*ratio),h2=Math.round(height*ratio);(canvas.width!==w||canvas.height!==h2)&&(canvas.width=w,canvas.height=h2,canvas.
style.width=`${width}px`,canvas.style.height=`${height}px`);let g=canvas.getContext("2d");return g.setTransform(ratio,0,0,ratio,0,0),g.clearRect(0,0,width,height),
g}var LINE={light:.86,dark:.84},Tones=class{constructor(theme,paper,colors,of){this.of=of,this.faded=colors.length;let background=channels(paper);this.paper=pixel(
background),this.paperChannels=background;let n2=colors.length*2;this.red=new Float64Array(n2),this.green=new Float64Array(n2),this.blue=new Float64Array(n2),this.
fill=new Uint32Array(n2),this.line=new Uint32Array(n2),colors.forEach((color,tone)=>{let rgb=channels(color);this.#set(tone,rgb,LINE[theme]),this.#set(tone+this.
faded,fade(rgb,background),LINE[theme])})}#set(tone,rgb,line2){[this.red[tone],this.green[tone],this.blue[tone]]=rgb,this.fill[tone]=pixel(rgb),this.line[tone]=
pixel(rgb.map(c=>Math.round(c*line2)))}};function channels(color){return[1,3,5].map(i=>parseInt(color.slice(i,i+2),16))}function pixel([r,g,b]){return(255<<24|b<<
16|g<<8|r)>>>0}function fade(rgb,paper){let grey=.35*rgb[0]+.5*rgb[1]+.15*rgb[2];return rgb.map((c,i)=>{let dull=c*.35+grey*.65;return Math.round(paper[i]+(dull-
paper[i])*.17)})}function foldStack(frames,operator){let out=[];for(let i=0;i<frames.length;){let frame=frames[i],end=i+1;if(frame.kind===INTERNAL){for(;end<frames.length&&frames[end].
kind===INTERNAL;)end++;let run=frames.slice(i,end);out.push({fold:!0,frames:run,label:foldLabel(run)+(i===0&&operator?`, ${operator}`:"")})}else{for(;end<frames.
length&&frames[end]===frame;)end++;end-i<3&&(end=i+1),out.push({fold:!1,frame,times:end-i})}i=end}return out}function foldLabel(run){let python=run.filter(isPython).
length,frames=run.length===1?"frame":"frames",what=python===0?"C++":python===run.length?"wrapper":"C++ and wrapper";return`${run.length} ${what} ${frames}`}function isPython(frame){
return/\.(py|ipynb)$|^</.test(frame.file)}function placeOf(frame){return frame.file==="??"?"":located(shortPath(frame),frame.line)}function nameOf(frame){return isPython(
frame)?frame.name:elide(frame.name)}function fullText(frame){return`${located(frame.file,frame.line)}:${frame.name}`}function elide(name){let plain3=name.replaceAll(
"(anonymous namespace)::",""),out="",angle=0,round=0;for(let i=0;i<plain3.length;i++){let c=plain3[i],operator=/operator[<>()-]*$/.test(out);if(c==="<"&&!operator&&
round===0)angle++===0&&(out+="<…>");else if(c===">"&&!operator&&angle>0&&round===0)angle--;else{if(angle>0)continue;c==="("&&!(operator&&plain3[i+1]===")")?round++===
0&&(out+="(…)"):c===")"&&round>0?round--:round===0&&(out+=c)}}return out.replace(/\(…\)\s*const$/,"(…)")}function stackText(header,frames){return[header,...frames.
map(f=>`${located(f.file,f.line)} ${f.name}`)].join(`
`)+`
`}function stepsOf(stacks,stack){if(stacks.isEmpty(stack))return[plain2(NO_STACK)];let steps=stacks.frames(stack).filter(f=>f.kind!==INTERNAL).reverse().map(f=>{let user=f.
kind===USER,place=user?located(baseName(f.file),f.line):placeOf(f);return{name:nameOf(f),place,title:`${placeOf(f)} ${f.name}`,user}});steps.length===0&&steps.push(
plain2(stacks.backward[stack]?"autograd engine":"no Python frame"));let operator=stacks.operatorOf(stack);return operator&&steps.push(plain2(operator)),steps}function plain2(name){
return{name,place:"",title:name,user:!1}}function below(stacks,stack,key){let[model,steps]=key.split(".").map(Number),way=stepsOf(stacks,model).slice(0,steps),known=[],
isBelow=s=>{let other=stepsOf(stacks,s);return way.length>0&&way.every((step,i)=>step.title===other[i]?.title)};return id=>known[stack[id]]??=isBelow(stack[id])}
function icicle({data,stacks},ids,groups,lit,rows,least){let ways=[],root=node(plain2(""),"");for(let id of ids){let group=groups[id];for(let n2 of ways[data.stack[id]]??=
nodesOf(root,stacks,data.stack[id]))n2.bytes+=data.size[id],n2.lit||=!lit||lit[id]>0,n2.byGroup[group]=(n2.byGroup[group]??0)+data.size[id]}let cells=[],lay=(parent,from,depth)=>{
for(let top of[...parent.below.values()].sort((a,b)=>b.bytes-a.bytes)){let width=root.bytes>0?top.bytes/root.bytes:0;if(width<least||depth>=rows)return;let{end,
named,titles}=chain(top,cells.length),group=end.byGroup.reduce((best,n2,g,all)=>n2>(all[best]??0)?g:best,0),{name,place}=named.step,title=titles.join(`
`);cells.push({name,place,title,key:end.key,bytes:top.bytes,group,depth,from,width,lit:top.lit}),lay(end,from,depth+1),from+=width}};return lay(root,0,0),{cells,
wayOf:stack=>(ways[stack]??[]).map(n2=>n2.cell)}}function node(step,key){return{step,key,bytes:0,byGroup:[],lit:!1,cell:-1,below:new Map}}function nodesOf(root,stacks,stack){
let way=[root];return stepsOf(stacks,stack).forEach((step,i)=>{let parent=way[i],next=parent.below.get(step.title);next||parent.below.set(step.title,next=node(step,
`${stack}.${i+1}`)),way.push(next)}),way}function chain(top,cell2){let end=top,named=top,titles=[top.step.title];for(;;){end.cell=cell2;let[only,...others]=end.
below.values();if(!only||others.length>0||only.bytes<end.bytes||only.step.place==="")break;end=only,titles.push(end.step.title),(end.step.user||!named.step.user)&&
(named=end)}return{end,named,titles}}function breakdown({sites},live,happened2,by,groups){let rows=sites.rows(live,by,groups).map(row=>({...row,allocated:row.bytes}));if(!happened2)return{rows,gone:[]};
let known=new Map(rows.map(row=>[row.key,row])),gone=[];for(let all of sites.rows(between(happened2.first,happened2.after),by,groups)){let row=known.get(all.key);
row?row.allocated=all.bytes:gone.push({...all,allocated:all.bytes,bytes:0})}return{rows,gone}}function*between(from,to){for(let id=from;id<to;id++)yield id}function sorted({
rows,gone},order2,happened2){let sort=order2.sort==="allocated"&&!happened2?"bytes":order2.sort;return sortRows(rows,sort,order2.rising),sortRows(gone,sort==="b\
ytes"?"allocated":sort,order2.rising),{rows,gone,sort}}function sortRows(rows,sort,rising){let sign=rising?1:-1;return rows.sort((a,b)=>sign*(sort==="name"?(a.name+
a.place).localeCompare(b.name+b.place):a[sort]-b[sort])||b.bytes-a.bytes)}function membersOf({sites,stacks,data},{by,key}){return by==="stack"?below(stacks,data.
stack,key):sites.members(by,key)}function litPart(device,lit,part){if(!part)return lit;let isMember=membersOf(device,part),out=new Uint8Array(device.data.count);
for(let id=0;id<out.length;id++)out[id]=lit&&!lit[id]?0:Number(isMember(id));return out}function siteNames(sites,timeline,grouping){let of=new Int32Array(sites.
data.count),known=new Map,groups=[];for(let id of timeline.live(timeline.peak)){let{key,name,place}=sites.site(id),group=known.get(key);group===void 0&&(known.set(
key,group=groups.length),groups.push({label:`${name}  ${place}`.trimEnd(),ink:grouping.groups[grouping.of[id]].ink})),of[id]=group}return{of,groups}}function clamp(v,least,most){return Math.max(least,Math.min(most,v))}function addressTest({address,count:count2},{digits,generation}){let ranges=[];for(let more=0;more<=16-digits.length;more++){let shift=BigInt(4*more),from=BigInt(
"0x"+digits);ranges.push([from<<shift,from+1n<<shift])}let within=address.within(ranges);if(generation===null)return within;address.prepare();let wanted=new Set,
seen=new Map;for(let id=0;id<count2;id++){if(!within(id))continue;let text=address.text(id),n2=seen.get(text)??0;seen.set(text,n2+1),n2===generation&&wanted.add(
id)}return id=>wanted.has(id)}var Pattern=class{constructor(source){this.program=compile(source),this.seen=new Int32Array(this.program.length+1),this.turn=0,this.taken=0}test(text,budget){let now=[],
due=[];budget.left-=this.program.length;for(let at=0;;at++){this.turn++,this.taken=1,now=[];for(let step of due)if(this.#follow(step,text,at,now))return!0;if(this.#follow(
0,text,at,now))return!0;if(at===text.length)return!1;if(budget.left-=this.taken,budget.left<0)throw new RangeError("this pattern takes too long");due=[];for(let{
one,to}of now)one.test(text[at])&&due.push(to[0])}}#follow(i,text,at,now){if(this.seen[i]===this.turn)return!1;if(this.seen[i]=this.turn,this.taken++,i===this.program.
length)return!0;let step=this.program[i];if(step.one)now.push(step);else if(!step.here||step.here(text,at)){for(let next of step.to)if(this.#follow(next,text,at,
now))return!0}return!1}},ONE=/\[(?:[^\]\\]|\\[^])*\]|\\(?:u[\da-f]{4}|x[\da-f]{2}|[^])|[^]/iy,TIMES=/(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})\??/y;function compile(source){
let program=[],i=0,put=step=>(program.length===1e3&&fail("the pattern is too long"),program.push({to:[program.length+1],...step})-1),take=sticky=>{sticky.lastIndex=
i;let found=sticky.exec(source);return i+=found?.[0].length??0,found},either=()=>{let first=sequence();if(source[i]!=="|")return first;i++;let second=either();return()=>{
let fork=put({});first();let jump2=put({});program[fork].to.push(program.length),second(),program[jump2].to=[program.length]}},sequence=()=>{let parts=[];for(;i<
source.length&&!"|)".includes(source[i]);)parts.push(repeated());return()=>{for(let part of parts)part()}},repeated=()=>{let part=single(),times=take(TIMES);if(!times)
return part;let[,mark,m,comma,n2]=times,least=mark?+(mark==="+"):Number(m),most=mark==="?"?1:mark||comma&&!n2?1/0:Number(comma?n2:m);return most<least&&fail("th\
e numbers in { } are in the wrong order"),()=>{for(let k=0;k<least;k++)part();let forks=[];for(let k=least;k<Math.min(most,least+1e3);k++)if(forks.push(put({})),
part(),!(most<1/0)){put({to:[forks[0]]});break}for(let fork of forks)program[fork].to.push(program.length)}},single=()=>{if(take(/\((?:\?:)?/y)){source[i]==="?"&&
fail("looking around is not known here");let inner=either();return source[i++]!==")"&&fail("a ( is not closed"),inner}let here=take(/\^|\$|\\b/iy)?.[0];if(here)
return()=>put({here:PLACES[here]});let part=take(ONE)?.[0]??"";/^[*+?]$/.test(part)&&fail("nothing to repeat"),/^\\[1-9k]/.test(part)&&fail("back references are\
 not known here");let one=oneCharacter(part);return()=>put({one})},whole=either();return i<source.length&&fail("a ) is not opened"),whole(),program}var PLACES={
"^":(_,at)=>at===0,$:(text,at)=>at===text.length,"\\b":(text,at)=>isWord(text[at-1])!==isWord(text[at]),"\\B":(text,at)=>isWord(text[at-1])===isWord(text[at])};
function isWord(c){return c!==void 0&&/\w/.test(c)}function oneCharacter(part){part==="["&&fail("a [ is not closed");try{return new RegExp(`^${/^[^\w.]$/.test(part)?
"\\":""}${part}$`,"i")}catch{return fail(`${part} is no range of characters`)}}function fail(why){throw new SyntaxError(why)}function parseQuery(text){let terms=[],filters=[];for(let[word,quoted,source]of text.matchAll(/"([^"]*)"?|\/(.+?)\/(?!\S)|\S+/g)){let filter=/[<>:]/.test(word)&&
quoted===void 0?parseFilter(word):null;filter?filters.push(filter):source?terms.push({text:"",pattern:new Pattern(source),place:null}):quoted!==""&&terms.push({
text:(quoted??word).toLowerCase(),pattern:null,place:parsePlace(word)})}return{terms,filters}}function parsePlace(word){let found=/^(0x|b(?=[\da-f]{4}))?0*([\da-f]{1,16})(?:_(\d{1,9}))?$/i.
exec(word);return!found||!found[1]&&found[2].length<6?null:{digits:found[2].toLowerCase(),generation:found[3]===void 0?null:Number(found[3])}}var POWER={b:0,k:10,
m:20,g:30,t:40},MICROS={us:1,µs:1,ms:1e3,s:1e6};function parseFilter(word){let[,key,sign,number,unit=""]=/^(size|life)([<>]=?)([\d,]*\.?\d+)([a-zµ]*)$/.exec(word.
toLowerCase())??[],value=Number(number?.replaceAll(",",""));if(key==="size"&&/^([kmgt]?(i?b)?)$/.test(unit))return{key,sign,value:value*2**POWER[unit[0]??"b"],unit:"\
bytes"};if(key==="life"&&unit==="")return{key,sign,value,unit:"events"};if(key==="life"&&Object.hasOwn(MICROS,unit))return{key,sign,value:value*MICROS[unit],unit:"\
us"};let trait2=/^(?:(live|pre)(?::(yes|no|end))?|(stream|pool):(.+))$/i.exec(word);return trait2?.[3]?{key:trait2[3].toLowerCase()==="pool"?"pool":"stream",name:trait2[4].
toLowerCase()}:trait2?{key:trait2[1].toLowerCase()==="live"?"live":"pre",name:trait2[2]?.toLowerCase()==="no"?"no":"yes"}:null}function parseGoal(text){let plain3=text.
trim().toLowerCase().replaceAll(",",""),[,mark,number,unit]=/^(#|event |state )?\s*(\d*\.?\d+)\s*(us|µs|ms|s)?$/.exec(plain3)??[],value=Number(number);if(unit&&
!mark)return{us:value*MICROS[unit]};if(mark==="#"&&!unit&&Number.isInteger(value))return{id:value};let place=mark?null:parsePlace(plain3);return number&&!unit&&
Number.isInteger(value)?{event:value,place}:place&&{place}}function bisect(low,high,isBefore){for(;low<high;){let middle=low+high>>1;isBefore(middle)?low=middle+1:high=middle}return low}function countUpTo(column,v,from=0){
let step=1,low=from;for(;low+step<=column.length&&column[low+step-1]<=v;)low+=step,step*=2;return bisect(low,Math.min(column.length,low+step-1),i=>column[i]<=v)}
function countBelow(column,v){return bisect(0,column.length,i=>column[i]<v)}var MOST_STEPS=2e7,NOTHING_ASKED={query:"",filters:[],hits:null,count:0,problem:""};function find(device,query,words){let filters=words.filter(parseFilter);if(query.
trim()===""&&filters.length===0)return NOTHING_ASKED;let found={...NOTHING_ASKED,query,filters};try{let asked=parseQuery(query),all=filters.map(word=>parseFilter(
word)),tests=[...asked.filters,...all].map(filter=>filterTest(device,filter)),hits=new Uint8Array(device.data.count).fill(1),budget={left:MOST_STEPS};for(let term of asked.
terms)keep(hits,hitsOf(device,term,budget));let count2=0;for(let test of tests)for(let i=0;i<hits.length;i++)hits[i]&&!test(i)&&(hits[i]=0);for(let i=0;i<hits.length;i++)
count2+=hits[i];return{...found,hits,count:count2}}catch(error){if(!(error instanceof SyntaxError||error instanceof RangeError))throw error;return{...found,problem:error.
message}}}function keep(hits,others){for(let i=0;i<hits.length;i++)hits[i]&=others[i]}function hitsOf(device,{text,pattern,place},budget){let{data,stacks,lanes}=device,
test=s=>pattern?pattern.test(s,budget):s.toLowerCase().includes(text),known=new Map,named=string=>{let is=known.get(string);return is===void 0&&known.set(string,
is=test(stacks.strings.at(string))),is},onStack=stackHits(stacks,test,named),hits=new Uint8Array(data.count);for(let i=0;i<hits.length;i++)hits[i]=onStack[data.
stack[i]];for(let texts of[data.context,data.metadata])texts.alloc.forEach((id,i)=>{named(texts.text[i])&&(hits[id]=1)});for(let lane of lanes?.annotated??[])annotate(
hits,data,lane,test);if(place){let there=addressTest(data,place);for(let i=0;i<hits.length;i++)there(i)&&(hits[i]=1)}return hits}var frameTexts=new WeakMap;function textsOf(stacks){
let texts=frameTexts.get(stacks);return texts||(texts=Array.from(stacks.frameName,(_,i)=>{let{name,file,line:line2}=stacks.frame(i);return`${located(file,line2)}\
 ${name}`}),frameTexts.set(stacks,texts)),texts}function stackHits(stacks,test,named){let frames=textsOf(stacks).map(test),nodes=new Uint8Array(stacks.parent.length+
1);return stacks.parent.forEach((parent,i)=>{nodes[i+1]=nodes[parent]|Number(frames[stacks.nodeFrame[i]]??!1)}),Uint8Array.from(stacks.node,(node2,stack)=>nodes[node2]|
Number(named(stacks.operator[stack])))}function annotate(hits,{first,preExisting},{from,to,names},test){names.forEach((name,i)=>{test(name)&&hits.fill(1,Math.max(
preExisting,countBelow(first,from[i]+1)),countBelow(first,to[i]+1))})}function filterTest({data,file,report,hasTime},filter){switch(filter.key){case"size":return compare(
id=>data.size[id],filter);case"life":{let{first,last}=data;if(filter.unit==="events")return compare(id=>last[id]-first[id]+1,filter);let time=hasTime?data.time:
null;if(!time)throw new SyntaxError("this recording has no times");let at=event=>time[clamp(event,0,time.length-1)];return compare(id=>at(last[id])-at(first[id]-
1),filter)}case"live":return id=>data.isLiveAtEnd(id)===(filter.name==="yes");case"pre":return id=>data.isPreExisting(id)===(filter.name==="yes");case"stream":{
let names=file.streams.map((_,i)=>streamName(file.streams,i).slice(7).toLowerCase());return oneOf(data.stream,names,filter)}case"pool":{let pools=report.pools??
[];return oneOf(pools.length>1?data.pool:null,pools,filter)}}}function compare(of,{sign,value}){return sign[0]===">"?sign===">"?id=>of(id)>value:id=>of(id)>=value:
sign==="<"?id=>of(id)<value:id=>of(id)<=value}function oneOf(column,names,{key,name}){let wanted=names.indexOf(name);if(wanted<0)throw new SyntaxError(`there is\
 no ${key} ${name}`);return id=>(column?column[id]:0)===wanted}function litOf({of,groups},isolated,hits){if(isolated.size===0)return hits;let shown=groups.map((_,group)=>Number(isolated.has(group))),lit=new Uint8Array(of.length);
for(let i=0;i<lit.length;i++)lit[i]=hits&&!hits[i]?0:shown[of[i]];return lit}function fadeOthers({tones,colors},lit){return lit?tones.map((tone,i)=>lit[i]?tone:
tone+colors.length):tones}function litKeys(lit,ids,keyOf2){if(!lit)return{has:()=>!0};let keys=new Set;for(let id of ids)lit[id]&&keys.add(keyOf2(id));return keys}
function litBytes(timeline,hits,state){let sum=0;for(let id of timeline.live(state))hits[id]&&(sum+=timeline.data.size[id]);return sum}function isolate(app,group,add){let only=app.isolated.size===1&&app.isolated.has(group),next=new Set(add?app.isolated:[]);add&&next.has(group)?next.delete(group):
only||next.add(group),setIsolated(app,next)}function setIsolated(app,groups,part=null){app.isolated=groups,app.part=part,relight(app),app.emit("colour")}function isolatePart(app,part){
let same=part.by===app.part?.by&&part.key===app.part.key;setIsolated(app,new Set,same?null:part)}function glance(app,part){part!==app.glanced&&(app.glanced=part,
app.tones=tonesOf(app,litPart(app.device,part?null:app.lit,part)),app.emit("glance"))}function search(app,query,filters=app.found.filters){query===app.found.query&&
filters.join()===app.found.filters.join()||(app.found=find(app.device,query,filters),relight(app),app.emit("colour"))}function relight(app){app.lit=litPart(app.
device,litOf(app.grouping,app.isolated,app.found.hits),app.part),app.glanced=null,app.tones=tonesOf(app,app.lit)}function tonesOf({grouping,style,plainTones},lit){
return lit?new Tones(style.theme,style.paper,grouping.colors,fadeOthers(grouping,lit)):plainTones}function setColourMode(app,mode){let known=modesOf(app.device).find(m=>m.mode===mode&&m.lacks==="");!known||mode===app.colourMode||(app.colourMode=known.mode,app.
isolated=new Set,regroup(app),app.emit("colour"))}function setPatterns(app,patterns){patterns!==app.patterns&&(app.patterns=patterns,app.emit("colour"))}function themeChanged(app){
app.style=readStyle(),app.device&&(regroup(app),app.emit("theme"),app.emit("colour"))}function regroup(app){let{theme,paper}=app.style;app.grouping=groupingOf(app.
colourMode,app.device,app.report,theme),app.plainTones=new Tones(theme,paper,app.grouping.colors,app.grouping.tones),relight(app)}function consoleApi(app,stage,ready){let known=k=>{if(!Number.isInteger(k)||k<0||k>app.device.timeline.lastState)throw new RangeError(`there is no state ${k}`);
return k};return{ready,async settled(){do await stage.painted();while(app.moving||app.waiting);await stage.painted()},devices:()=>app.report.files.flatMap((file,f)=>file.
devices.map(d=>({file:f,device:d.device,events:d.events,allocations:d.allocations}))),async select(choice2){let file=typeof choice2=="number"?app.device?.fileIndex??
0:choice2.file,ordinal=typeof choice2=="number"?choice2:choice2.device,position=app.report.files[file]?.devices.findIndex(d=>d.device===ordinal)??-1;if(position<
0)throw new RangeError(`there is no device ${ordinal} in file ${file}`);await app.open(file,position),stage.drawNow(),app.settle(),await stage.painted()},state:k=>{
let{timeline}=app.device;return{active_bytes:timeline.active[known(k)],reserved_bytes:timeline.reservedAt(k),allocations:timeline.live(k).length}},live:k=>{let offset=0;
return app.device.data.address.prepare(),Array.from(app.device.timeline.live(known(k)),id=>{let entry=describe(app,id,offset);return offset+=entry.size,entry})},
async view({from,to}){let began=performance.now(),{axis}=app.viewport;if(!(from>=0&&to>from))throw new RangeError("view needs from < to");return app.viewport.show(
axis.begins(Math.min(from,app.device.timeline.lastState)),to>app.device.timeline.lastState?axis.extent:axis.begins(to)),stage.drawNow(),await stage.painted(),{ms:performance.
now()-began}},search(text){search(app,text);let{hits,count:count2,problem}=app.found;if(problem)throw new SyntaxError(problem);let{timeline}=app.device;return{allocations:hits?
count2:0,bytes_at_peak:hits?litBytes(timeline,hits,timeline.peak):0,first:count2>0?hits.indexOf(1):null}},at:(x,y)=>{let box=stage.elements.timeline.getBoundingClientRect(),
found=stage.at(x-box.left,y-box.top);return found?.hit?{state:found.state,...describe(app,found.hit.id,found.hit.offset)}:null},geometry:()=>{let box=stage.elements.
timeline.getBoundingClientRect(),{layout}=stage.scales,{viewport}=app;return{left:box.left+layout.left,top:box.top+layout.top,width:layout.plotWidth,height:layout.
plotHeight,from:viewport.from,to:viewport.to,axis:viewport.axis.kind,bytes_from:viewport.low,bytes_to:viewport.high,ratio:stage.chart.columns.length/layout.plotWidth,
columns:Int32Array.from(stage.chart.columns)}},pixels:()=>{let{image:image2}=stage.chart.plot;return image2&&{width:image2.width,height:image2.height,data:image2.
data}}}}function describe(app,id,offset){let{data,stacks}=app.device;return{id,addr:data.address.text(id),size:data.size[id],start:data.startEvent(id),end:data.
endEvent(id),offset,stack:stacks.frames(data.stack[id]).map(f=>`${f.file}:${f.line}:${f.name}`)}}function ceilingOf({data,timeline,report}){let recorded=Math.max(timeline.active[timeline.peak],timeline.reservedPeak),capacity=report.capacity?.bytes??0,ghosts=data.
ooms.map(m=>Math.min(timeline.reservedAt(m.state)+m.size,recorded*1.25));return Math.max(recorded,capacity<=recorded*2?capacity:0,...ghosts)}function latest(answerOf){let asked,answer2;return(...of)=>((!asked||of.some((v,i)=>v!==asked[i]))&&(answer2=answerOf(...asked=of)),answer2)}var Pyramid=class{constructor(values,sign){this.values=values,this.sign=sign,this.levels=[];let below2=null;for(let length=values.length;length>64;length=below2.
length){let level=new Uint32Array(Math.ceil(length/64));for(let b=0;b<level.length;b++)level[b]=this.#best(below2,b*64,Math.min(length,(b+1)*64));this.levels.push(
level),below2=level}}best(from,to){return this.#search(-1,from,to+1)}#search(l,from,to){let level=l<0?null:this.levels[l],blockFrom=Math.ceil(from/64),blockTo=Math.
floor(to/64);if(l+1>=this.levels.length||blockFrom>=blockTo)return this.#best(level,from,to);let best=from<blockFrom*64?this.#best(level,from,blockFrom*64):-1;return best=
this.#better(best,this.#search(l+1,blockFrom,blockTo)),blockTo*64<to?this.#better(best,this.#best(level,blockTo*64,to)):best}#best(level,from,to){let{values,sign}=this;
if(!level)return sign>0?largest(values,from,to):smallest(values,from,to);let best=level[from],top=sign*values[best];for(let q=from+1;q<to;q++){let v=sign*values[level[q]];
v>top&&(top=v,best=level[q])}return best}#better(a,b){return a<0||this.sign*this.values[b]>this.sign*this.values[a]?b:a}};function largest(values,from,to){let best=from,
top=values[from];for(let i=from+1;i<to;i++)values[i]>top&&(top=values[i],best=i);return best}function smallest(values,from,to){let best=from,top=values[from];for(let i=from+
1;i<to;i++)values[i]<top&&(top=values[i],best=i);return best}var BLOCK2=64,GROUP=BLOCK2*BLOCK2,Timeline=class{constructor(data,reservedBaseline,members=null){this.data=data,this.lastState=data.events,this.least=members?members[0]??
data.count:0,this.active=sumActive(data,members),this.highest=new Pyramid(this.active,1),this.lowest=new Pyramid(this.active,-1),this.peak=this.highest.best(0,this.
lastState),this.blockLast=blockMaxima(data.last),this.groupLast=blockMaxima(this.blockLast),this.reservedFrom=new Uint32Array(data.reservedEvent.length+1),this.
reserved=new Float64Array(data.reservedEvent.length+1),this.reserved[0]=reservedBaseline;for(let i=0;i<data.reservedEvent.length;i++)this.reservedFrom[i+1]=data.
reservedEvent[i]+1,this.reserved[i+1]=this.reserved[i]+data.reservedDelta[i];this.reservedPeak=this.reserved.reduce((a,b)=>Math.max(a,b),0),this.buffer=new Int32Array(
data.count)}reservedAt(k){return this.reserved[countUpTo(this.reservedFrom,k)-1]}live(k){return this.liveOf(0,countUpTo(this.data.first,k),k)}liveOf(from,to,k){
let{data:{last},blockLast,groupLast,buffer}=this,n2=0;for(let i=Math.max(from,this.least);i<to;){let b=Math.floor(i/BLOCK2);if(i%GROUP===0&&groupLast[b/BLOCK2]<
k){i+=GROUP;continue}let end=Math.min(to,(b+1)*BLOCK2);for(blockLast[b]<k&&(i=end);i<end;i++)last[i]>=k&&(buffer[n2++]=i)}return buffer.subarray(0,n2)}hit(k,byte){
if(byte<0)return null;let{size}=this.data,offset=0;for(let id of this.live(k)){if(byte<offset+size[id])return{id,offset};offset+=size[id]}return null}offset(id,k){
let offset=0;for(let i of this.live(k)){if(i===id)break;offset+=this.data.size[i]}return offset}unchangedBelow(from,to){let offset=0;for(let i of this.live(from)){
if(this.data.last[i]<to)break;offset+=this.data.size[i]}return offset}};function sumActive({events,count:count2,first,last,size},members){let active=new Float64Array(
events+2);for(let j=0,n2=members?members.length:count2;j<n2;j++){let i=members?members[j]:j;active[first[i]]+=size[i],active[last[i]+1]-=size[i]}let sum=0;for(let k=0;k<=
events;k++)active[k]=sum+=active[k];return active.subarray(0,events+1)}function blockMaxima(values){let out=new Uint32Array(Math.ceil(values.length/BLOCK2));for(let b=0;b<
out.length;b++){let most=0;for(let i=b*BLOCK2,end=Math.min(values.length,i+BLOCK2);i<end;i++)values[i]>most&&(most=values[i]);out[b]=most}return out}function rangeOf(a,b,lastState){let kept=k=>clamp(k,0,lastState),from=kept(Math.min(a,b,lastState-1)),to=kept(Math.max(a,b,from+1));return from<to?{from,to}:null}
function happened(timeline,{from,to}){let{active,data}=timeline,first=countUpTo(data.first,from),after=countUpTo(data.first,to),allocated=0;for(let id=first;id<
after;id++)allocated+=data.size[id];let freedTensors=timeline.live(from).length+(after-first)-timeline.live(to).length,kept=timeline.liveOf(first,after,to).slice(),
keptBytes=kept.reduce((sum,id)=>sum+data.size[id],0);return{first,after,kept,keptBytes,allocated,freed:active[from]+allocated-active[to],freedTensors}}function aloneTimeline(timeline,members){
let{data}=timeline,last=new Uint32Array(data.count);for(let id of members)last[id]=data.last[id];let pending=[...data.pendingAlloc.keys()].filter(i=>last[data.pendingAlloc[i]]>
0);return new Timeline({events:data.events,count:data.count,first:data.first,size:data.size,last,pendingAlloc:Float64Array.from(pending,i=>data.pendingAlloc[i]),
pendingWait:Float64Array.from(pending,i=>data.pendingWait[i]),reservedEvent:data.reservedEvent,reservedDelta:data.reservedDelta},timeline.reserved[0],members)}var Outline=class{constructor(timeline,id){this.timeline=timeline,this.id=id;let{data}=timeline,first=data.first[id],below2=timeline.live(first).filter(i=>i<id);
this.going=below2.sort((a,b)=>data.last[a]-data.last[b]);let sum=0;this.bytesBefore=Float64Array.from({length:below2.length+1},(_,i)=>i===0?0:sum+=data.size[this.
going[i-1]])}offset(k){let{last}=this.timeline.data,{length}=this.going,gone=bisect(0,length,i=>last[this.going[i]]<k);return this.bytesBefore[length]-this.bytesBefore[gone]}isLive(k){
let{first,last}=this.timeline.data;return first[this.id]<=k&&k<=last[this.id]}};function drawOutline({pen,scales,layout,columns,timeline,style},outline){let{g}=pen,
step=layout.plotWidth/columns.length,size=timeline.data.size[outline.id],from=columns.findIndex(k=>outline.isLive(k));if(from<0)return;let to=from;for(;to<columns.
length&&columns[to]>=0&&outline.isLive(columns[to]);)to++;let lows=Array.from(columns.subarray(from,to),k=>outline.offset(k));g.beginPath();for(let x=from;x<to;x++){
let y=scales.y(lows[x-from]+size);g.lineTo(layout.left+x*step,y),g.lineTo(layout.left+(x+1)*step,y)}for(let x=to-1;x>=from;x--){let y=scales.y(lows[x-from]);g.lineTo(
layout.left+(x+1)*step,y),g.lineTo(layout.left+x*step,y)}g.closePath(),g.lineJoin="round",pen.stroke(style.halo,4),pen.stroke(style.select,1.75)}var AIR=1.03,LAST_PART=.97,EventAxis=class{kind="events";least=12;constructor(lastState,air){this.lastState=lastState,this.extent=lastState+1,this.end=this.extent*
(air?AIR:1),this.least=Math.min(12,this.extent)}begins(k){return k}middle(k){return k+.5}stateAt(x){return clamp(Math.floor(x),0,this.lastState)}states(from,to){
if(from>=this.extent)return null;let a=Math.max(0,Math.floor(from));return[a,clamp(Math.ceil(to)-1,a,this.lastState)]}},TimeAxis=class{kind="time";constructor(time,air){
this.lastState=time.length,this.start=new Float64Array(time.length+1);for(let k=1;k<this.start.length;k++)this.start[k]=Math.max(this.start[k-1],time[k-1]);this.
extent=this.start[this.lastState],this.end=this.extent*(air?AIR:1),this.least=Math.min(20,this.extent)}begins(k){return this.start[k]}middle(k){return this.start[k]}stateAt(x){
return Math.max(0,countUpTo(this.start,x)-1)}states(from,to){if(from>=this.extent&&from>0)return null;let a=countBelow(this.start,from);this.start[a]>from&&a--;
let b=to>=this.extent?this.lastState:countBelow(this.start,to)-1;return a=Math.max(0,a),[a,Math.max(a,b)]}};function spanOf(axis,from,to){return[axis.begins(from),
to===axis.lastState?axis.extent:axis.begins(to+1)]}function stretchOf(axis,from,to){return[axis.begins(from),to===axis.lastState?axis.extent:axis.begins(to)]}function axisOf({
data,timeline:{lastState}},kind){let air=data.ooms.some(m=>m.state>lastState*LAST_PART);return kind==="time"&&data.time?new TimeAxis(data.time,air):new EventAxis(
lastState,air)}function columnStates(axis,timeline,from,to,columns){let out=new Int32Array(columns),step=(to-from)/columns;for(let x=0;x<columns;x++){let covered=axis.
states(from+step*x,from+step*(x+1));out[x]=covered?timeline.highest.best(covered[0],covered[1]):-1}return out}var CLOSE=2e3,HEADROOM=1.045,FOOT=.12,Viewport=class{constructor(axis,timeline,ceiling){this.axis=axis,this.timeline=timeline,this.ceiling=Math.max(1,ceiling*HEADROOM),
this.from=0,this.to=axis.end,this.mode="auto",this.low=0,this.high=this.ceiling,this.base=0,this.changed=()=>{}}get width(){return this.to-this.from}get middle(){
return(this.from+this.to)/2}get isWhole(){return this.from<=0&&this.to>=this.axis.end}get isFitted(){return this.base>0}get view(){return{from:this.from,to:this.
to,mode:this.mode,low:this.low,high:this.high}}restore(view){this.mode=view.mode,this.low=view.low,this.high=view.high,this.show(view.from,view.to)}changeAxis(axis){
let whole=this.isWhole,from=this.axis.stateAt(this.from),to=this.axis.stateAt(this.to);this.axis=axis,whole?this.show(0,axis.end):this.show(axis.begins(from),axis.
begins(to))}show(from,to){let{end,least}=this.axis,width=clamp(to-from,least,end),middle=(from+to)/2;this.from=clamp(to-from<least?middle-width/2:from,0,end-width),
this.to=this.from+width,this.#settleHeight(),this.changed()}showWithAir(from,to,air){this.show(Math.max(0,from-air),Math.min(this.axis.end,to+air))}restack(timeline,ceiling){
this.timeline=timeline,this.ceiling=Math.max(1,ceiling*HEADROOM),this.mode="auto",this.show(this.from,this.to)}whole(){this.mode="auto",this.show(0,this.axis.end)}pan(d){
let width=this.width,from=clamp(this.from+d,0,this.axis.end-width);from!==this.from&&this.show(from,from+width)}centre(x){this.pan(x-this.middle)}reach(x){(x<this.
from||x>this.to)&&this.centre(x)}zoom(factor,at){let width=clamp(this.width*factor,this.axis.least,this.axis.end),from=at-(at-this.from)/this.width*width,kept=clamp(
from,0,this.axis.end-width);this.show(kept,kept+width)}setBytes(low,high){this.mode="free";let height=clamp(high-low,16,this.ceiling);this.low=clamp(low,0,this.
ceiling-height),this.high=this.low+height,this.show(this.from,this.to)}zoomBytes(factor,at){let low=at-(at-this.low)*factor;this.setBytes(low,low+(this.high-this.
low)*factor)}panBytes(d){this.setBytes(this.low+d,this.high+d)}toggleFit(){this.isFitted||this.mode==="fit"?this.setBytes(0,this.ceiling):(this.mode="fit",this.
show(this.from,this.to))}#settleHeight(){if(this.base=0,this.mode==="free")return;this.low=0,this.high=this.ceiling;let covered=this.axis.states(this.from,this.
to);if(!covered||this.mode==="auto"&&covered[1]-covered[0]>=CLOSE)return;let{timeline}=this,top=timeline.active[timeline.highest.best(covered[0],covered[1])],base=timeline.
unchangedBelow(covered[0],covered[1]);base>=top||this.mode==="auto"&&(this.isWhole||base<this.ceiling/2)||(this.base=base,this.low=Math.max(0,base-(top-base)*FOOT),
this.high=top+(top-this.low)*.08)}};var STILL_MS=120,App=class{#happened=latest(happened);#siteNames=latest(siteNames);constructor(report,library){this.report=report,this.library=library,this.device,
this.viewport,this.grouping,this.tones,this.plainTones,this.style=readStyle(),this.patterns=!1,this.colourMode="family",this.defaultColourMode="family",this.moment=
"peak",this.cursor=0,this.range=null,this.alone=null,this.part=null,this.glanced=null,this.order={by:"site",sort:"bytes",rising:!1},this.pinned=null,this.outline=
null,this.isolated=new Set,this.found=NOTHING_ASKED,this.lit=null,this.hover=null,this.lane=null,this.lanesFolded=!1,this.step=null,this.moving=!1,this.listeners=
new Map,this.stillTimer=0,this.opening=0,this.waiting=null}on(topics,listener){for(let topic of topics)this.listeners.set(topic,[...this.listeners.get(topic)??[],
listener])}onBeside(topics,listener){this.on(topics,()=>{this.waiting?this.waiting.add(listener):listener()})}emit(topic){for(let listener of this.listeners.get(
topic)??[])listener()}async open(fileIndex,deviceIndex){let turn=++this.opening,device=await this.library.open(fileIndex,deviceIndex);if(turn!==this.opening)return;
this.device=device,this.moment=device.hasHistory?"peak":"end",this.cursor=device.timeline.peak,this.lane=this.step=null,this.pinned=this.outline=this.hover=this.
range=this.alone=this.part=null,this.isolated=new Set,this.found=find(device,this.found.query,this.found.filters);let{data,report}=device,bare=!device.hasHistory&&
report.with_stack<data.count*.1;this.colourMode=this.defaultColourMode=bare?"size":"family",regroup(this),this.viewport=new Viewport(axisOf(device,"events"),device.
timeline,ceilingOf(device)),this.viewport.changed=()=>this.moved(),this.waiting=new Set,this.emit("device")}get momentState(){let{timeline}=this.device;return this.
moment==="range"&&this.range?this.range.to:this.moment==="peak"?timeline.peak:this.moment==="end"?timeline.lastState:this.cursor}get happened(){return this.moment===
"range"&&this.range?this.#happened(this.device.timeline,this.range):null}get live(){return this.happened?.kept??this.device.timeline.live(this.momentState)}get total(){
return this.happened?.keptBytes??this.device.timeline.active[this.momentState]}get shown(){return this.alone??this.device.timeline}get names(){let{alone,grouping,
device}=this;return alone?[this.#siteNames(device.sites,alone,grouping),grouping]:[grouping]}setOrder(order2){this.order={...this.order,...order2},this.emit("so\
rt")}setAxis(kind){kind===this.viewport.axis.kind||kind==="time"&&!this.device.hasTime||this.viewport.changeAxis(axisOf(this.device,kind))}setMoment(moment,state){
this.moment=moment,state!==void 0&&(this.cursor=clamp(state,0,this.device.timeline.lastState)),this.emit("moment")}pin(id){let known=id!==null&&id>=0&&id<this.device.
data.count;this.pinned=known?id:null,this.outline=known&&this.alone?.data.last[id]!==0?new Outline(this.shown,id):null,this.emit("pin")}setHover(hover){!hover&&
!this.hover||(this.hover=hover,this.emit("hover"))}setLane(lane){let{lane:before}=this;lane===before||lane&&before&&lane.lane===before.lane&&lane.i===before.i||
(this.lane=lane,this.emit("lane"))}foldLanes(folded){folded!==this.lanesFolded&&(this.lanesFolded=folded,this.lane=null,this.moved())}moved(){this.moving=!0,this.
emit("view"),clearTimeout(this.stillTimer),this.waiting||(this.stillTimer=setTimeout(()=>this.settle(),STILL_MS))}settle(){clearTimeout(this.stillTimer),this.moving=
!1,this.emit("settled");let{waiting}=this;this.waiting=null;for(let listener of waiting??[])listener()}};var SPACE=" ",THIN=" ",MINUS="−",UNITS=["B","KiB","MiB","GiB","TiB","PiB","EiB"],grouped=new Intl.NumberFormat("en-US",{maximumFractionDigits:0});function count(n2){
return grouped.format(n2)}function counted(n2,one){return`${count(n2)} ${one}${n2===1?"":"s"}`}function three(v){return v>=99.95?v.toFixed(0):v>=9.995?v.toFixed(
1):v.toFixed(2)}function bytes(n2){if(n2===0)return"0";let v=Math.abs(n2),unit=0;for(;v>=1023.5&&unit<UNITS.length-1;)v/=1024,unit++;return(n2<0?MINUS:"")+(unit===
0?v.toFixed(0):three(v))+SPACE+UNITS[unit]}function exactBytes(n2){return count(n2)+SPACE+"B"}function change(n2){return(n2>0?"+":"")+bytes(n2)}function share(part,whole){
if(!(whole>0))return"";let percent=part/whole*100;return(percent===100?"100":percent>=99.5?"99":percent>=1?percent.toFixed(0):percent>0?"<1":"0")+THIN+"%"}function duration(us){
return us<999.5?us.toFixed(0)+SPACE+"µs":us<999500?three(us/1e3)+SPACE+"ms":three(us/1e6)+SPACE+"s"}function byteStep(range,n2){let step=2**Math.max(0,Math.floor(
Math.log2(range/n2)));for(;range/step>n2*1.3;)step*=2;return step}function axisBytes(v,top,step){if(v===0)return"0";let named=clamp(Math.floor(Math.log2(Math.max(
1,top)/.9)/10),0,UNITS.length-1),unit=named>0&&step<1024**named/4?named-1:named;return String(Number((v/1024**unit).toFixed(3)))+SPACE+UNITS[unit]}function axisChange(d){
let[value,unit]=bytes(d).split(SPACE);return"+"+Number(value)+SPACE+unit}function decimalStep(range,n2){let power=10**Math.floor(Math.log10(Math.max(1,range/n2)));
for(let m of[1,2,5])if(range/(power*m)<=n2)return Math.max(1,power*m);return power*10}function axisTime(us,range,step){let[unit,name]=range>2e6?[1e6,"s"]:range>
2e3?[1e3,"ms"]:[1,"µs"],digits=clamp(Math.ceil(-Math.log10(step/unit)-1e-9),0,3);return(unit===1?count(us):(us/unit).toFixed(digits))+SPACE+name}function heldBy({groups,of},size,ids){let held2=groups.map(()=>({bytes:0,tensors:0}));for(let id of ids)held2[of[id]].bytes+=size[id],held2[of[id]].tensors++;return held2}function fromBase64(text){let native=Uint8Array.fromBase64;return native?native.call(Uint8Array,text):decodeBase64(text.trim())}function decodeBase64(text){if(text.
length%4!==0)throw new Error("base64 text is cut off");let binary=atob(text),out=new Uint8Array(binary.length);for(let i=0;i<out.length;i++)out[i]=binary.charCodeAt(
i);return out}async function inflate(packed,size){let stream=new DecompressionStream("deflate-raw"),writer=stream.writable.getWriter();writer.write(packed).catch(
()=>{}),writer.close().catch(()=>{});let out=new Uint8Array(size),reader=stream.readable.getReader(),filled=0;for(;;){let{done,value}=await reader.read();if(done)
break;if(filled+value.length>size)throw new Error(`payload is longer than its ${size} bytes`);out.set(value,filled),filled+=value.length}if(filled!==size)throw new Error(
`payload has ${filled} of its ${size} bytes`);return out}async function payload(element){if(!(element instanceof HTMLElement))throw new Error("a payload is miss\
ing");let size=Number(element.dataset.bytes);if(!Number.isSafeInteger(size)||size<0)throw new Error("a payload does not say its size");return inflate(fromBase64(
(element.textContent??"").trim()),size)}function addressesOf(r,{has_addr,wide_addr,base_addr},size){let difference=r.signed(),high=r.unsigned(),low=r.unsigned();if(!has_addr)return{text:()=>"",prepare:()=>{},
within:()=>()=>!1};if((wide_addr?Math.min(high.length,low.length):difference.length)!==size.length)throw new Error("the payload does not fit the report: address\
es");return wide_addr?new WideAddresses(high,low):new NearAddresses(base_addr,difference,size)}var NearAddresses=class{constructor(base,difference,size){this.base=
BigInt(base.startsWith("0x")?base:"0x"+base),this.difference=difference,this.size=size,this.sums=null}prepare(){this.sums??=sumsBySize(this.difference.values,this.
size)}text(i){let offset=this.sums?this.sums[i]:this.#sum(i);return"0x"+(this.base+BigInt(offset)).toString(16)}within(ranges){this.prepare();let sums=this.sums,
near=ranges.map(([from,to])=>[Number(from-this.base),Number(to-this.base)]).filter(([from,to])=>to>0&&from<Number.MAX_SAFE_INTEGER);return i=>near.some(([from,to])=>from<=
sums[i]&&sums[i]<to)}#sum(i){let{difference:{values},size}=this,own=size[i],sum=0;for(let j=0;j<=i;j++)size[j]===own&&(sum+=values[j]);return sum}};function sumsBySize(values,size){
let sums=new Float64Array(values.length),last=new Map;for(let i=0;i<sums.length;i++)sums[i]=values[i]+(last.get(size[i])??0),last.set(size[i],sums[i]);return sums}
var WideAddresses=class{constructor(high,low){this.high=high,this.low=low}prepare(){}within(ranges){return i=>{let at=this.#address(i);return ranges.some(([from,
to])=>from<=at&&at<to)}}text(i){return"0x"+this.#address(i).toString(16)}#address(i){return BigInt(this.high.values[i]??0)<<32n|BigInt(this.low.values[i]??0)}};var DeviceData=class{#time;#freeCode;#stream;#rule;#pool;constructor(bytes2,report){let r=new ColumnReader(bytes2);this.events=report.events,this.count=report.allocations,
this.preExisting=report.pre_existing,this.#time=r.signedSums(),this.hasTime=report.has_time&&this.#time.length===this.events;let start2=r.ascending(),life2=r.unsigned();
expect(start2.length===this.count-this.preExisting&&life2.length===this.count,"allocations"),this.first=new Uint32Array(this.count),this.first.set(start2.values,
this.preExisting),this.last=lastStates(this.first,life2.values,this.events),this.pendingAlloc=r.ascending().values,this.pendingWait=r.unsigned().values,this.size=
r.unsigned().values,this.address=addressesOf(r,report,this.size),this.stack=r.unsigned().values,this.#freeCode=r.unsigned(),this.#stream=r.unsigned(),this.family=
r.unsigned().values,r.unsigned(),this.reservedEvent=r.ascending().values,this.reservedDelta=r.signed().values,this.markers=readMarkers(r),this.ooms=this.markers.
filter(m=>m.kind==="oom"),this.context=new Texts(r),this.metadata=new Texts(r),this.#rule=r.unsigned(),this.#pool=r.unsigned();for(let column of[this.size,this.
stack,this.#freeCode,this.#stream,this.family,this.#rule])expect(column.length===this.count,"a column");expect(this.#pool.length===0||this.#pool.length===this.count,
"pools"),expect(this.reservedEvent.length===this.reservedDelta.length,"reserved memory")}get time(){return this.hasTime?this.#time.values:null}get stream(){return this.#stream.
values}get rule(){return this.#rule.values}get pool(){return this.#pool.values}isPreExisting(i){return i<this.preExisting}isLiveAtEnd(i){return this.last[i]===this.
events}startEvent(i){return this.isPreExisting(i)?null:this.first[i]-1}endEvent(i){return this.isLiveAtEnd(i)?null:this.last[i]}freeStack(i){let code=this.#freeCode.
values[i];return code===1?this.stack[i]:Math.max(0,code-2)}freeRequest(i){let at=this.pendingAlloc.indexOf(i);return at<0?null:this.last[i]-this.pendingWait[at]}};
function lastStates(first,life2,events){let last=new Uint32Array(life2.length);for(let i=0;i<life2.length;i++){let end=first[i]-1+life2[i];life2[i]===0?last[i]=
events:end<events?last[i]=end:expect(!1,"an allocation")}return last}function readMarkers(r){let event=r.ascending().values,kind=r.unsigned().values,size=r.unsigned().
values,free=r.unsigned().values;return Array.from(event,(state,i)=>({state,kind:kind[i]===0?"oom":"snapshot",size:size[i],free:free[i]}))}var Texts=class{constructor(r){
this.alloc=r.ascending().values,this.text=r.unsigned().values,expect(this.alloc.length===this.text.length,"texts")}get(id){let i=countBelow(this.alloc,id);return this.
alloc[i]===id?this.text[i]:void 0}};function expect(ok,what){if(!ok)throw new Error(`the payload does not fit the report: ${what}`)}var Steps=class{constructor(boundaries,lastState,word,method){let inside=Array.from(boundaries).filter(b=>b>0&&b<lastState);this.from=boundaries.length===0?[]:[
0,...inside],this.lastState=lastState,this.word=word,this.method=method}get count(){return this.from.length}range(i){return{from:this.from[i],to:this.from[i+1]??
this.lastState}}at(state){return Math.max(0,countUpTo(this.from,Math.max(0,state-1))-1)}next(shown,whole,state,by){let after=countUpTo(this.from,state),before=after-
(this.from[after-1]===state?2:1),i=shown>=0?shown+by:whole?by>0?0:this.count-1:by>0?after:before;return i>=0&&i<this.count?i:-1}};var PHASES=["load","forward","backward","optimizer"],STEP=/^(ProfilerStep|Optimizer\.step)#/,Lane=class{constructor(label,from,to,names,kinds,notes,time,leftOut){
this.label=label,this.from=from,this.to=to,this.names=names,this.kinds=kinds,this.notes=notes,this.time=time,this.leftOut=leftOut}get length(){return this.from.
length}isStep(i){return STEP.test(this.names[i])}span(axis,i){return axis.kind==="time"&&this.time?[this.time.from[i],this.time.to[i]]:[axis.begins(this.from[i]),
axis.begins(this.to[i])]}after(axis,x,least=0){return bisect(least,this.length,i=>this.span(axis,i)[1]<=x)}at(axis,x,slack){let i=this.after(axis,x),best=-1,nearest2=slack;
for(let k of[i,i-1]){if(k<0||k>=this.length)continue;let[from,to]=this.span(axis,k),away=Math.max(from-x,x-to,0);away<=nearest2&&(best<0||away<nearest2)&&([best,
nearest2]=[k,away])}return best}},Lanes=class{constructor(bytes2,{lanes,events,has_time}){let r=new ColumnReader(bytes2),texts=r.strings(),from=r.ascending().values,
length=r.unsigned().values,fromUs=r.signedSums().values,lengthUs=r.unsigned().values,depth=r.unsigned().values,name=r.unsigned().values,cut=r.unsigned().values,
phaseFrom=Array.from(r.ascending().values),phaseLength=r.unsigned().values,kind=Array.from(r.unsigned().values);this.steps=new Steps(r.ascending().values,events,
lanes.step_word,lanes.steps_from);let leftOut=(n2,what)=>n2>0?`${count(n2)} ${what}`:"";this.annotated=[];let levels=from.length===0?0:Math.max(...depth)+1;for(let level=0;level<
levels;level++){let ids=Array.from(depth.keys()).filter(i=>depth[i]===level),time=has_time&&fromUs.length>0?{from:[],to:[]}:null;if(time)for(let i of ids)keepOrder(
time,fromUs[i],fromUs[i]+lengthUs[i]);this.annotated.push(new Lane(level===0?"annotated":"",ids.map(i=>from[i]),ids.map(i=>from[i]+length[i]),ids.map(i=>texts.at(
name[i])),null,ids.map(i=>["","its start is not in the file","its end is not in the file"][cut[i]]),time,level===0?leftOut(lanes.ranges_left_out,"more ranges, n\
ested deeper or shorter, are left out"):""))}this.phases=phaseFrom.length===0?null:new Lane("≈ phase",phaseFrom,phaseFrom.map((a,i)=>a+phaseLength[i]),kind.map(
k=>PHASES[k]),kind,kind.map(()=>"inferred from stacks"),null,leftOut(lanes.phases_left_out,"more phases, the shortest, are left out"))}get all(){return this.phases?
[...this.annotated,this.phases]:this.annotated}};function keepOrder(time,from,to){let a=Math.max(from,time.to.at(-1)??0);time.from.push(a),time.to.push(Math.max(
a,to))}function shortName(name){return name.replace(/^Optimizer\.step#/,"")}var Library=class{constructor(report,document2){this.report=report,this.document=document2,this.stacks=new Map}async open(fileIndex,deviceIndex){let file=this.report.
files[fileIndex],report=file?.devices[deviceIndex];if(!report)throw new Error("there is no such device in this report");let[stacks,bytes2,lanes]=await Promise.all(
[this.#stacksOf(file.stacks),payload(this.document.getElementById(report.payload)),payload(this.document.getElementById(report.lanes.payload))]),data=new DeviceData(
bytes2,report),timeline=new Timeline(data,report.reserved_baseline_bytes);return{fileIndex,deviceIndex,file,report,stacks,data,timeline,sites:new SiteTable(data,
stacks,this.report.families),lanes:new Lanes(lanes,report),hasHistory:data.events>0,hasTime:data.hasTime&&report.span_us>0}}#stacksOf(id){let stacks=this.stacks.
get(id);return stacks||(stacks=payload(this.document.getElementById(id)).then(bytes2=>new Stacks(bytes2)),this.stacks.set(id,stacks)),stacks}};var WHO=2;function answersOf(device,grouping,pinned){return device.report.answers.map((card,i)=>{let shown=i===WHO&&pinned!==null?allocatedThis(card,device,pinned):
card;return card.bar.length>0&&grouping.mode!=="family"?{...shown,...atPeak(device,grouping)}:{...shown,colours:card.bar.map(p=>({color:grouping.groups[p.family]?.
color??"",part:p.bytes}))}})}var NAMED=3;function atPeak({timeline,data},grouping){let held2=heldBy(grouping,data.size,timeline.live(timeline.peak)),parts=grouping.
groups.map(({color,label},i)=>({color,label,part:held2[i].bytes})).filter(({part})=>part>0),largest2=[...parts].sort((a,b)=>b.part-a.part).slice(0,NAMED),total2=timeline.
active[timeline.peak];return{line:largest2.map(({label,part})=>`${label} ${share(part,total2)}`).join(", "),colours:parts.map(({color,part})=>({color,part}))}}function allocatedThis(card,{
timeline,data,sites},pinned){let site=sites.site(pinned),size=bytes(data.size[pinned]),answer2={...card,question:"Who allocated this?",value:site.name,small:site.
place,mood:"known",detail:"",line:`${size}, pinned; ${counted(sites.tensors(site),"tensor")} from this site`,evidence:{from:0,to:0,state:Math.min(data.first[pinned],
timeline.lastState),allocation:pinned}};if(site.name!==NO_STACK)return answer2;let why=data.isPreExisting(pinned)?"allocated before the recording":"stacks were \
not recorded";return{...answer2,value:"No stack recorded",small:"",mood:"unknown",line:`${size}, pinned; ${why}`}}function brush(app,range){app.range=range,app.emit("range")}function setRange(app,range,alone=!1){let{device,viewport,alone:was}=app,{timeline}=device;app.range=
range,app.alone=range&&alone?aloneTimeline(timeline,happened(timeline,range).kept):null,app.alone?viewport.restack(app.alone,app.alone.active[app.alone.peak]):was?
viewport.restack(timeline,ceilingOf(device)):app.moved(),(app.alone||was)&&app.pin(app.pinned),range?app.setMoment("range"):app.moment==="range"&&app.setMoment(
"peak")}function toggleAlone(app){let range=app.range??rangeInView(app);range&&setRange(app,range,!app.alone)}function rangeInView({device,viewport:{axis,from,to}}){
let covered=axis.states(from,to);return covered&&rangeOf(covered[0],covered[1],device.timeline.lastState)}var BEFORE=600,BEFORE_PART=.08;function showEvidence(app,{from,to,state,allocation}){let{viewport,device}=app,{timeline,hasHistory}=device;app.range&&setRange(app,
null),from<to?viewport.show(...stretchOf(viewport.axis,from,to)):viewport.whole(),!hasHistory||state===timeline.lastState?app.setMoment("end"):state===timeline.
peak?app.setMoment("peak"):app.setMoment("cursor",state),app.pin(allocation<0?null:allocation)}function showOOM(app){let{viewport,device}=app,oom=device.data.ooms.
at(-1);if(!oom)return;app.range&&setRange(app,null);let{axis}=viewport,states=Math.max(BEFORE,Math.round(device.timeline.lastState*BEFORE_PART)),x=axis.begins(oom.
state),from=axis.begins(Math.max(0,oom.state-states));viewport.mode="auto",viewport.show(from,Math.min(axis.end,x+Math.max((x-from)*.06,1))),app.setMoment("curs\
or",oom.state)}function showGrowth(app,{from,to}){let{lastState}=app.device.timeline,range=rangeOf(from,from<to?to:lastState,lastState);range&&(app.pin(null),app.
viewport.whole(),setRange(app,range,!0))}function showRange({range,viewport}){if(!range)return;let[from,to]=spanOf(viewport.axis,range.from,range.to);viewport.showWithAir(
from,to,(to-from)*.04)}function showLife({device:{data},viewport},id){let{axis}=viewport,[from,to]=spanOf(axis,data.first[id],data.last[id]);viewport.showWithAir(
from,to,Math.max((to-from)*.08,axis.kind==="events"?2:1))}function jump(app,id){let{viewport,device}=app;viewport.reach(viewport.axis.middle(device.data.first[id])),
app.pin(id)}function escape(app){app.alone?setRange(app,app.range):app.pinned!==null?app.pin(null):app.isolated.size>0||app.part?setIsolated(app,new Set):app.range?
setRange(app,null):app.found!==NOTHING_ASKED&&search(app,"",[])}function h(tag,first,...others){let[name,...classes2]=tag.split("."),element=document.createElement(name),isPlain=first?.constructor===Object,p=isPlain?first:{},
children=isPlain?others:[first,...others];element instanceof HTMLButtonElement&&(element.type="button"),element.className=p.class??classes2.join(" "),p.text!==void 0&&
(element.textContent=p.text),p.title&&(element.title=p.title),p.role&&element.setAttribute("role",p.role),p.label&&element.setAttribute("aria-label",p.label),p.
pressed!==void 0&&element.setAttribute("aria-pressed",String(p.pressed)),p.selected!==void 0&&element.setAttribute("aria-selected",String(p.selected)),p.disabled&&
"disabled"in element&&(element.disabled=!0),p.value!==void 0&&"value"in element&&(element.value=p.value);for(let[name2,value]of Object.entries(p.css??{}))element.
style.setProperty(name2,value);return p.click&&element.addEventListener("click",p.click),element.append(...children.filter(c=>typeof c=="string"||c instanceof Node)),
element}function byId(id){let element=document.getElementById(id);if(!element)throw new Error(`the page has no element ${id}`);return element}function copyButton(text,title,copy){
let button=h("button",{text,title,click:()=>{copy(),button.textContent="Copied",setTimeout(()=>button.textContent=text,900)}});return button}function swatch(color){
return h("i.swatch",{css:{background:color}})}function segmented(label,buttons){return h("span.segmented",{role:"group",label},...buttons.map(b=>h("button",b)))}
async function copyText(text){try{await navigator.clipboard.writeText(text)}catch{let area=h("textarea.offscreen",{value:text});document.body.append(area),area.
select(),document.execCommand("copy"),area.remove()}}var GROWING=1,SVG="http://www.w3.org/2000/svg";function mountAnswers(app,root){app.onBeside(["device","pin","colour"],()=>{let answers=answersOf(app.device,app.
grouping,app.pinned);root.replaceChildren(...answers.map((answer2,i)=>{let{evidence,mood}=answer2;return evidence?i===GROWING?cell(answer2,()=>showGrowth(app,evidence)):
cell(answer2,mood==="alarm"?()=>showOOM(app):()=>showEvidence(app,evidence)):cell(answer2,null)}))})}function cell(answer2,click){let content=[h("span.question",
answer2.question),h("span.value",{title:answer2.detail||[answer2.value,answer2.small].filter(Boolean).join(" ")},answer2.value,answer2.small?h("small",answer2.small):
null),answer2.colours.length>0?bar(answer2.colours):answer2.curve.length>1?sparkline(answer2.curve):null,h("span.line",{text:answer2.line,title:answer2.detail||
answer2.line})],style=`answer ${answer2.mood}`;return click?h("button",{class:style,click},...content):h("div",{class:style},...content)}function bar(parts){return h(
"span.picture.bar",...parts.map(({color,part})=>h("span",{css:{background:color,flex:`${part} 0 0`}})))}function sparkline(values){let low=Math.min(...values),range=Math.
max(...values)-low,svg=document.createElementNS(SVG,"svg"),line2=document.createElementNS(SVG,"polyline");svg.setAttribute("viewBox","0 0 108 20"),svg.setAttribute(
"class","picture spark"),svg.setAttribute("aria-hidden","true");let step=106/Math.max(1,values.length-1);return line2.setAttribute("points",values.map((v,i)=>`${(1+
i*step).toFixed(1)},${(range>0?18-16*(v-low)/range:10).toFixed(1)}`).join(" ")),svg.append(line2),svg}var CONTROLS=/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;function printable(text){return text.replace(/[\r\n\t]+/g,
" ").replace(CONTROLS,"�")}function plainSpaces(text){return text.replace(/[\u00a0\u2009]/g," ")}function csvCell(value){if(value===null)return"";if(typeof value==
"number")return String(value);let text=plainSpaces(printable(value)),guarded=/^\s*[=+\-@\u2212\uff0b\uff0d\uff1d\uff20]/.test(text)?`'${text}`:text;return/[",;']/.
test(guarded)||guarded!==guarded.trim()?`"${guarded.replaceAll('"','""')}"`:guarded}function markdownCode(text){let line2=plainSpaces(printable(text));if(line2.
trim()==="")return"";let fence=longerThanRuns(line2,0),air=fence.length>1||line2!==line2.trim()?" ":"",cell2=line2.replace(/(\\*)\|/g,(_,before)=>before?`${before}\
 \\|`:"\\|");return`${fence}${air}${cell2}${air}${fence}`}function markdownFence(text){let fence=longerThanRuns(text,2);return`${fence}
${text.split(`
`).map(printable).join(`
`).trimEnd()}
${fence}
`}function longerThanRuns(text,least){return"`".repeat(1+Math.max(least,...Array.from(text.matchAll(/`+/g),([run])=>run.length)))}function xml(text){let entities={
"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;"};return printable(text).replace(/[&<>"']/g,c=>entities[c])}var MOST2=20,NAMES={site:"call site",file:"file",function:"function",family:"family"};function total({device,happened:happened2,state}){return happened2?happened2.
keptBytes:device.timeline.active[state]}function tableRows({device,live,happened:happened2,order:order2,grouping}){let{rows,gone}=sorted(breakdown(device,live,happened2,
order2.by,grouping.of),order2,happened2);return[...rows,...gone]}function tableSheet(screen){let{happened:happened2,grouping,order:order2}=screen,all=total(screen),
colour=order2.by==="family"?[]:[grouping.mode==="family"?"family":`colour by ${grouping.mode}`],site=order2.by==="site";return{columns:[NAMES[order2.by],...site?
["file","line"]:[],...happened2?["still live","still live bytes","allocated","allocated bytes"]:["size","bytes","share"],"tensors",...colour],rows:tableRows(screen).
map(row=>[order2.by==="file"?row.title:row.name,...site?[row.file||null,lineOf(row.place)]:[],bytes(row.bytes),row.bytes,...happened2?[bytes(row.allocated),row.
allocated]:[share(row.bytes,all)],row.tensors,...colour.map(()=>grouping.groups[row.group].label)])}}function lineOf(place){let line2=/:(\d+)$/.exec(place);return line2&&
Number(line2[1])}function selection({live,lit}){return lit?live.filter(id=>lit[id]):live}function tensorSheet(screen){let{device,report}=screen,{data,file,sites}=device,
ids=selection(screen);return ids.length>1&&data.address.prepare(),{columns:["tensor","size","bytes","family","call site","file","line","allocated at event","fre\
ed at event","address","stream"],rows:Array.from(ids,id=>{let{name,file:path,place}=sites.site(id);return[id,bytes(data.size[id]),data.size[id],report.families[data.
family[id]]?.label??null,name,path||null,lineOf(place),data.startEvent(id),data.endEvent(id),data.address.text(id)||null,streamName(file.streams,data.stream[id])]})}}
function csv({columns,rows}){return[columns,...rows].map(cells=>cells.map(csvCell).join(",")+`\r
`).join("")}function json(screen,name,{columns,rows}){let keys=columns.map(c=>c.replaceAll(" ","_")),list=rows.map(cells=>Object.fromEntries(cells.map((v,i)=>[keys[i],
typeof v=="string"?plainSpaces(v):v])));return JSON.stringify({schema:"memviz.export/1",...about(screen),[name]:list},null,1)+`
`}function about(screen){let{device,report,words,state,range,live,lit,query,filters}=screen,{timeline,file}=device;return{program:report.program,file:file.name,
device:device.report.label,torch:file.torch,moment:plainSpaces(words),state,...range&&{range},active_bytes:timeline.active[state],reserved_bytes:timeline.reservedAt(
state),total_bytes:total(screen),live_tensors:live.length,...lit&&{selected_tensors:selection(screen).length,query,filters}}}function held({device,live,grouping}){
return heldBy(grouping,device.data.size,live).map((sum,i)=>({label:grouping.groups[i].label,color:grouping.groups[i].color,...sum})).filter(s=>s.bytes>0)}function markdown(screen){
let{device,grouping,order:order2,state,happened:happened2,words,report}=screen,{file,timeline}=device,all=total(screen),rows=tableRows(screen),torch=file.torch?
`, torch ${file.torch}`:"",both=n2=>`${bytes(n2)} (${exactBytes(n2)})`,facts2=[`**${both(all)}** ${words}, in ${counted(screen.live.length,"tensor")}`,`reserved\
 ${both(timeline.reservedAt(state))}; peak of the recording ${both(timeline.active[timeline.peak])}`],groups=held(screen).map(g=>[markdownText(g.label),bytes(g.
bytes),exactBytes(g.bytes),share(g.bytes,all),String(g.tensors)]),sites=rows.slice(0,MOST2).map(row=>[[markdownCode(row.name),row.place&&markdownCode(row.place)].
filter(Boolean).join(" "),bytes(row.bytes),exactBytes(row.bytes),happened2?bytes(row.allocated):share(row.bytes,all),String(row.tensors)]),more=rows.length>MOST2?
`
${counted(rows.length-MOST2,"more row")} not shown.
`:"",last=happened2?"of allocated":"share";return plainSpaces(`${markdownCode(file.name)}, ${device.report.label}${torch}, ${report.program}

${facts2.map(f=>`- ${f}`).join(`
`)}

`+grid([grouping.mode==="family"?"family":`by ${grouping.mode}`,"size","exact","share","tensors"],groups)+`
${grid([NAMES[order2.by],happened2?"still live":"size","exact",last,"tensors"],sites)}${more}`)}function markdownText(label){return/^[\w ,./-]+$/.test(label)?label:
markdownCode(label)}function grid(heads,rows){let line2=cells=>`| ${cells.join(" | ")} |
`;return line2(heads)+line2(heads.map((_,i)=>i===0?"---":"---:"))+rows.map(line2).join("")}var LANES={top:6,height:17,pitch:19,strip:5,stripPitch:7},FLAGS=23,LANES_PART=.25,MINIMAP=42;function layoutOf(width,height,hasHistory,above=null,lanesFolded=!1){
let below2=hasHistory?30+MINIMAP+8:18,lanes=hasHistory&&above?laneRows(above,height,lanesFolded):[],last=lanes.at(-1),top=last?last.top+last.height+FLAGS:34,plotWidth=Math.
max(1,width-66-14),plotHeight=Math.max(1,height-top-below2);return{width,height,left:66,top,right:66+plotWidth,bottom:top+plotHeight,plotWidth,plotHeight,minimapTop:height-
MINIMAP-8,lanes,lanesFolded}}function laneRows({annotated,phases},height,folded){let most=folded?1:Math.max(2,Math.floor(height*LANES_PART/LANES.pitch))-(phases?
1:0),shown=phases?[...annotated.slice(0,most),phases]:annotated.slice(0,most),[each,pitch]=folded?[LANES.strip,LANES.stripPitch]:[LANES.height,LANES.pitch],hidden=annotated.
length-most;return shown.map((lane,i)=>({lane,label:hidden>0&&i>0&&i===most-1?`+${hidden} deeper`:lane.label,top:LANES.top+i*pitch,height:each}))}var Scales=class{constructor(layout,viewport){
this.layout=layout,this.viewport=viewport}x(position){let{from,to}=this.viewport;return this.layout.left+(position-from)/(to-from)*this.layout.plotWidth}y(bytes2){
let{low,high}=this.viewport;return this.layout.top+this.layout.plotHeight*(1-(bytes2-low)/(high-low))}position(x){let{from,to}=this.viewport;return from+(x-this.
layout.left)/this.layout.plotWidth*(to-from)}bytes(y){let{low,high}=this.viewport;return low+(1-(y-this.layout.top)/this.layout.plotHeight)*(high-low)}minimapX(position){
return this.layout.left+position/this.viewport.axis.end*this.layout.plotWidth}minimapPosition(x){return(x-this.layout.left)/this.layout.plotWidth*this.viewport.
axis.end}part(x,y){let{left,top,minimapTop,lanes,right,bottom}=this.layout,across2=x>=left&&x<right,last=lanes.at(-1);return last&&y>=lanes[0].top-3&&y<last.top+
last.height+3?across2?"lanes":x<left?"fold":null:across2&&y>=top&&y<bottom?"plot":x>=left-4&&x<right+4&&y>=minimapTop-3&&y<minimapTop+MINIMAP+3?"minimap":x<left&&
y>=top&&y<bottom?"bytes":null}};var HEAD=58,MARGIN=16,ENTRY=262,ROW=20;function figureSize({layout,held:held2}){return{width:layout.width,height:HEAD+layout.height+ROW*(1+Math.ceil(held2.length/
across(layout)))+24}}function across({width}){return Math.max(1,Math.floor((width-2*MARGIN)/ENTRY))}function drawFigure(g,figure){let{style,layout,scales,ticks,
hasHistory}=figure,{width,height}=figureSize(figure),pen=new Pen(g,style);pen.fill(style.paper,0,0,width,height),pen.text(fitting(pen,figure.title,width-2*MARGIN),
MARGIN,20,{weight:600,size:14}),pen.text(fitting(pen,figure.facts,width-2*MARGIN),MARGIN,40,{color:style.ink2,size:12}),g.save(),g.translate(0,HEAD);let{left,top,
plotWidth,plotHeight,right,bottom}=layout;g.drawImage(figure.plot,left,top,plotWidth,plotHeight),hasHistory&&g.drawImage(figure.minimap,left,layout.minimapTop,plotWidth,
MINIMAP),pen.line(left,bottom+.5,right,bottom+.5,{color:style.strong});for(let v of ticks.y)pen.text(ticks.labelY(v),left-8,scales.y(v),{align:"right",color:style.
ink3});for(let v of hasHistory?ticks.x:[]){let x=Math.round(scales.x(v))+.5;pen.line(x,bottom,x,bottom+4,{color:style.strong}),pen.text(ticks.labelX(v),x,bottom+
14,{align:"center",color:style.ink3})}figure.over(g),g.restore(),drawLegend(pen,figure,HEAD+layout.height+12)}function drawLegend(pen,{layout,style,held:held2,total:total2,
words},top){pen.line(MARGIN,top-6,layout.width-MARGIN,top-6,{color:style.strong}),pen.text(`${bytes(total2)} ${words}`,MARGIN,top+ROW/2,{weight:600,size:12});let columns=across(
layout);held2.forEach((group,i)=>{let x=MARGIN+ENTRY*(i%columns),y=top+ROW*(1.5+Math.floor(i/columns));pen.fill(group.color,x,y-5,10,10),pen.text(fitting(pen,group.
label,120),x+16,y,{size:12}),pen.text(bytes(group.bytes),x+206,y,{size:12,align:"right"}),pen.text(share(group.bytes,total2),x+242,y,{size:12,align:"right",color:style.
ink3})})}function fitting(pen,text,width){let fits=t=>pen.measure(t)*1.0909090909090908<=width;if(fits(text))return text;let length=text.length;for(;length>1&&!fits(
`${text.slice(0,length)}…`);)length--;return`${text.slice(0,length)}…`}var SvgContext=class{constructor(width,height,measure){this.width=width,this.height=height,this.measure=measure,this.out=[],this.path=[],this.clips=0,this.saved=
[],this.fillStyle=this.strokeStyle="#000000",this.lineWidth=this.globalAlpha=1,this.lineJoin="miter",this.font="10px sans-serif",this.textAlign="start",this.textBaseline=
"middle",this.dash=[],this.open=0}get canvas(){return{style:{},getContext:()=>this}}toString(){let{width,height}=this;return`<svg xmlns="http://www.w3.org/2000/\
svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${this.out.join(`
`)}
</svg>
`}save(){let{fillStyle,strokeStyle,lineWidth,lineJoin,font,textAlign,globalAlpha,dash,open}=this;this.saved.push({fillStyle,strokeStyle,lineWidth,lineJoin,font,
textAlign,globalAlpha,dash,open}),this.open=0}restore(){let before=this.saved.pop();if(before){for(;this.open>0;this.open--)this.out.push("</g>");Object.assign(
this,before)}}translate(x,y){this.#group(`transform="translate(${n(x)} ${n(y)})"`)}clip(){let id=`c${++this.clips}`;this.out.push(`<clipPath id="${id}"><path d=\
"${this.path.join("")}"/></clipPath>`),this.#group(`clip-path="url(#${id})"`)}#group(attributes){this.out.push(`<g ${attributes}>`),this.open++}setTransform(){}clearRect(){}beginPath(){
this.path=[]}moveTo(x,y){this.path.push(`M${n(x)} ${n(y)}`)}lineTo(x,y){this.path.push(`${this.path.length>0?"L":"M"}${n(x)} ${n(y)}`)}closePath(){this.path.push(
"Z")}rect(x,y,w,h2){this.path.push(`M${n(x)} ${n(y)}h${n(w)}v${n(h2)}h${n(-w)}Z`)}roundRect(x,y,w,h2,r){let arc=(dx,dy)=>`a${n(r)} ${n(r)} 0 0 1 ${n(dx)} ${n(dy)}`;
this.path.push(`M${n(x+r)} ${n(y)}h${n(w-2*r)}${arc(r,r)}v${n(h2-2*r)}${arc(-r,r)}h${n(2*r-w)}${arc(-r,-r)}v${n(2*r-h2)}${arc(r,-r)}Z`)}arc(x,y,r){let half=dx=>`\
a${n(r)} ${n(r)} 0 1 1 ${n(dx)} 0`;this.path.push(`M${n(x-r)} ${n(y)}${half(2*r)}${half(-2*r)}Z`)}fill(){this.#path(this.#filled())}stroke(){this.#path(`fill="n\
one"${this.#stroked()}`)}fillRect(x,y,w,h2){this.#rect(x,y,w,h2,this.#filled())}strokeRect(x,y,w,h2){this.#rect(x,y,w,h2,`fill="none"${this.#stroked()}`)}#path(attributes){
this.path.length>0&&this.out.push(`<path d="${this.path.join("")}" ${attributes}/>`)}#rect(x,y,w,h2,attributes){w>0&&h2>0&&this.out.push(`<rect x="${n(x)}" y="${n(
y)}" width="${n(w)}" height="${n(h2)}" ${attributes}/>`)}setLineDash(dash){this.dash=dash}fillText(text,x,y){this.#text(text,x,y,this.#filled())}strokeText(text,x,y){
this.#text(text,x,y,`fill="none"${this.#stroked()}`)}measureText(text){return{width:this.measure(this.font,text)}}#text(text,x,y,attributes){let[,weight,size,family]=/^(?:(\d+) )?([\d.]+)px (.*)$/.
exec(this.font)??["","400","11","sans-serif"],anchor={right:"end",end:"end",center:"middle"}[this.textAlign]??"start",baseline=y+Number(size)*.36;this.out.push(
`<text x="${n(x)}" y="${n(baseline)}" font-family="${xml(family)}" font-size="${size}" font-weight="${weight??400}" text-anchor="${anchor}" ${attributes}>${xml(
text)}</text>`)}drawImage(canvas,x,y,w,h2){this.out.push(`<image x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h2)}" preserveAspectRatio="none" image-rend\
ering="pixelated" href="${canvas.toDataURL("image/png")}"/>`)}#filled(){return`fill=${this.#colour(this.fillStyle,"fill")}`}#stroked(){let{lineWidth,dash,lineJoin}=this;
return` stroke=${this.#colour(this.strokeStyle,"stroke")} stroke-width="${n(lineWidth)}"`+(dash.length>0?` stroke-dasharray="${dash.map(n).join(" ")}"`:"")+(lineJoin===
"miter"?"":` stroke-linejoin="${lineJoin}"`)}#colour(color,of){let[,rgb,alpha]=/^(#[0-9a-f]{6})([0-9a-f]{2})$/i.exec(color)??["",color,"ff"],opacity=parseInt(alpha,
16)/255*this.globalAlpha;return`"${xml(rgb)}"${opacity<1?` ${of}-opacity="${n(opacity)}"`:""}`}};function n(v){return String(Number(v.toFixed(2)))}function sharesOf({rule,size},live){let shares=[];for(let id of live){let share2=shares[rule[id]]??={rule:rule[id],bytes:0,tensors:0,largest:id};share2.bytes+=size[id],
share2.tensors++,size[id]>size[share2.largest]&&(share2.largest=id)}return shares.filter(Boolean).sort((a,b)=>b.bytes-a.bytes||a.rule-b.rule)}var BY={family:"wh\
at its stacks and its lifetime say it was for",site:"the innermost frame of user code on its stack",file:"the file of the innermost frame of user code on its st\
ack",stack:"its whole stack, frame by frame",size:"the bytes requested",life:"the events between its allocation and its free",stream:"the stream it was allocate\
d on",pool:"its memory pool: the default one, or that of a CUDA graph or a MemPool"};function decidingFrame(data,stacks,id){let frame=stacks.namedFrame(data.stack[id]);
if(frame)return{frame,freed:!1};let free=stacks.namedFrame(data.freeStack(id));return free&&{frame:free,freed:!0}}function planColumns(wanted,active,before,limit){let old=sameStates(wanted,before),coarse=1,paint=highestOfBlocks(wanted,active,old,coarse);for(;paint.length>limit&&
coarse<16;)coarse*=2,paint=highestOfBlocks(wanted,active,old,coarse);coarse>1&&paint.length<limit&&(paint=withOthers(wanted,old,paint,limit));let like=nearest(wanted,
old,paint,coarse);return{old,paint,like,isCoarse:like.some((l,x)=>wanted[l]!==wanted[x])}}function sameStates(wanted,before){let old=new Int32Array(wanted.length).
fill(-1);for(let x=0,b=0;x<wanted.length;x++){for(;b<before.length&&before[b]<wanted[x];)b++;before[b]===wanted[x]&&(old[x]=b)}return old}function highestOfBlocks(wanted,active,old,coarse){
let paint=[],last=-1;for(let from=0;from<wanted.length;from+=coarse){let to=Math.min(wanted.length,from+coarse),best=from;for(let x=from+1;x<to;x++)active[wanted[x]]>
active[wanted[best]]&&(best=x);old[best]>=0||wanted[best]===last||(last=wanted[best],paint.push(best))}return paint}function withOthers(wanted,old,paint,limit){
let states=new Set(paint.map(x=>wanted[x])),all=[...paint];for(let x=0;x<wanted.length&&all.length<limit;x++)old[x]>=0||states.has(wanted[x])||(states.add(wanted[x]),
all.push(x));return all.sort((a,b)=>a-b)}function nearest(wanted,old,paint,coarse){let like=new Int32Array(wanted.length).fill(-1);for(let x of paint)like[x]=x;
for(let x=0;x<like.length;x++)old[x]>=0&&(like[x]=x),!(like[x]>=0||x===0)&&(x%coarse!==0||wanted[x]===wanted[like[x-1]])&&(like[x]=like[x-1]);for(let x=like.length-
2;x>=0;x--)like[x]<0&&(like[x]=like[x+1]);return like}var GUESS_MS=1e-5,NEW=.3,FEWEST=8,SAME=["height","bytesFrom","bytesTo","lines"],Picture=class{constructor(raster){let{timeline}=raster;this.raster=raster,this.pixels=
new Uint32Array(0),this.spare=new Uint32Array(0),this.shown=null,this.isCoarse=!1,this.painted=0,this.columnMs=Math.max(.001,timeline.live(timeline.peak).length*
GUESS_MS)}get columns(){return this.shown?.view.states??new Int32Array(0)}paint(tones,view,ms){let began=performance.now(),{timeline}=this.raster,width=view.states.
length,none=view.states.indexOf(-1),recorded=none<0?width:none,wanted=view.states.subarray(0,recorded),before=this.#before(tones,view),plan=planColumns(wanted,timeline.
active,before,ms/this.columnMs);this.#turn(width*view.height);let{pixels}=this;this.raster.paint(tones,view,pixels,plan.paint),fillIn(pixels,this.spare,plan,width);
for(let row=0;row<pixels.length;row+=width)pixels.fill(tones.paper,row+recorded,row+width);let states=view.states.map((k,x)=>x<recorded?wanted[plan.like[x]]:k);
this.shown={tones,view:{...view,states}},this.isCoarse=plan.isCoarse,this.painted=plan.paint.length,this.painted>=FEWEST&&(this.columnMs+=(Math.max(.001,(performance.
now()-began)/this.painted)-this.columnMs)*NEW)}#before(tones,view){let{shown}=this;if(!(shown?.tones===tones&&shown.view.states.length===view.states.length&&SAME.
every(key=>shown.view[key]===view[key])))return new Int32Array(0);let{states}=shown.view,none=states.indexOf(-1);return none<0?states:states.subarray(0,none)}#turn(length){
let before=this.pixels;this.pixels=this.spare.length===length?this.spare:new Uint32Array(length),this.spare=before}};function fillIn(out,before,plan,width){let{
old,like}=plan,columns=like.map((_,x)=>x),copies=columns.filter(x=>old[x]>=0),twins=columns.filter(x=>like[x]!==x);for(let row=0;row<out.length;row+=width){for(let i=0;i<
copies.length;i++)out[row+copies[i]]=before[row+old[copies[i]]];for(let i=0;i<twins.length;i++)out[row+twins[i]]=out[row+like[twins[i]]]}}var CHUNK=32,SUMS=4,FOREVER=4294967295,Pile=class{constructor(timeline){this.timeline=timeline,this.tones,this.order=new Int32Array(0),this.bottom=new Float64Array(
1),this.length=0,this.last=new Uint32Array(0),this.bytes=new Float64Array(0),this.tone=new Uint8Array(0),this.count=new Int32Array(0),this.wholeUntil=new Uint32Array(
0),this.liveUntil=new Uint32Array(0),this.sums=new Float64Array(0),this.unused=new Int32Array(0),this.unusedCount=0,this.born=0,this.state=-1,this.#grow(1024)}clear(tones){
for(this.tones=tones;this.length>0;)this.unused[this.unusedCount++]=this.order[--this.length];this.born=0,this.state=-1}moveTo(k){if(k===this.state)return-1;let{
timeline}=this,had=this.length,dropped=this.#drop(k),top=this.length-1,born=countUpTo(timeline.data.first,k,this.born),added=timeline.liveOf(this.born,born,k);this.#push(
added),this.born=born,this.state=k;let changed=added.length>0?clamp(dropped,0,top):dropped;return changed===had&&added.length===0?-1:(this.#stack(changed),changed)}#drop(k){
let{order:order2,wholeUntil,liveUntil,count:count2,length}=this,j=0;for(;j<length&&wholeUntil[order2[j]]>=k;)j++;let changed=j,kept=j;for(;j<length;j++){let c=order2[j];
if(wholeUntil[c]<k){if(liveUntil[c]<k){this.unused[this.unusedCount++]=c;continue}this.#compact(c,k);let below2=kept>0?order2[kept-1]:-1;if(below2>=0&&count2[below2]+
count2[c]<=CHUNK/2){this.#merge(below2,c),changed=Math.min(changed,kept-1);continue}}order2[kept++]=c}return this.length=kept,Math.min(changed,kept)}#compact(c,k){
let{last,bytes:bytes2,tone,sums}=this,{red,green,blue}=this.tones,kept=c*CHUNK,end=kept+this.count[c],least=FOREVER;for(let q=kept;q<end;q++){let until=last[q],
size=bytes2[q],t=tone[q];if(until<k){sums[c*SUMS]-=size,sums[c*SUMS+1]-=size*red[t],sums[c*SUMS+2]-=size*green[t],sums[c*SUMS+3]-=size*blue[t];continue}until<least&&
(least=until),last[kept]=until,bytes2[kept]=size,tone[kept++]=t}this.count[c]=kept-c*CHUNK,this.wholeUntil[c]=least}#merge(into,from){let{last,bytes:bytes2,tone,
count:count2,sums,wholeUntil,liveUntil}=this,room=into*CHUNK+count2[into],start2=from*CHUNK;for(let i=0;i<count2[from];i++)last[room+i]=last[start2+i],bytes2[room+
i]=bytes2[start2+i],tone[room+i]=tone[start2+i];count2[into]+=count2[from],wholeUntil[into]=Math.min(wholeUntil[into],wholeUntil[from]),liveUntil[into]=Math.max(
liveUntil[into],liveUntil[from]);for(let s=0;s<SUMS;s++)sums[into*SUMS+s]+=sums[from*SUMS+s];this.unused[this.unusedCount++]=from}#push(ids){let{data}=this.timeline,
{of,red,green,blue}=this.tones,c=this.length>0?this.order[this.length-1]:-1;for(let i=0;i<ids.length;){(c<0||this.count[c]===CHUNK)&&(c=this.#newChunk());let{last,
bytes:bytes2,tone,sums}=this,end=Math.min(ids.length,i+CHUNK-this.count[c]),q=c*CHUNK+this.count[c];this.count[c]+=end-i;let least=this.wholeUntil[c],most=this.
liveUntil[c],sum=0,r=0,g=0,b=0;for(;i<end;i++,q++){let id=ids[i],until=data.last[id],n2=data.size[id],t=of[id];last[q]=until,bytes2[q]=n2,tone[q]=t,until<least&&
(least=until),until>most&&(most=until),sum+=n2,r+=n2*red[t],g+=n2*green[t],b+=n2*blue[t]}this.wholeUntil[c]=least,this.liveUntil[c]=most,sums[c*SUMS]+=sum,sums[c*
SUMS+1]+=r,sums[c*SUMS+2]+=g,sums[c*SUMS+3]+=b}}#newChunk(){this.unusedCount===0&&this.#grow(this.order.length*2);let c=this.unused[--this.unusedCount];this.count[c]=
0,this.wholeUntil[c]=FOREVER,this.liveUntil[c]=0;for(let s=c*SUMS;s<(c+1)*SUMS;s++)this.sums[s]=0;return this.order[this.length++]=c,c}#stack(from){let{order:order2,
bottom,sums,length}=this;for(let j=from;j<length;j++)bottom[j+1]=bottom[j]+sums[order2[j]*SUMS]}#grow(chunks){let had=this.order.length;this.order=widen(this.order,
chunks),this.bottom=widen(this.bottom,chunks+1),this.last=widen(this.last,chunks*CHUNK),this.bytes=widen(this.bytes,chunks*CHUNK),this.tone=widen(this.tone,chunks*
CHUNK),this.count=widen(this.count,chunks),this.wholeUntil=widen(this.wholeUntil,chunks),this.liveUntil=widen(this.liveUntil,chunks),this.sums=widen(this.sums,chunks*
SUMS),this.unused=widen(this.unused,chunks);for(let c=chunks-1;c>=had;c--)this.unused[this.unusedCount++]=c}};function widen(array,length){let wider=new array.constructor(
length);return wider.set(array),wider}var LINE_FROM=4,TILE=16,Raster=class{constructor(timeline){this.timeline=timeline,this.pile=new Pile(timeline)}paint(tones,view,out,columns){let{pile}=this,{states,
height}=view,column=new Uint32Array(height).fill(tones.paper),tile=new Uint32Array(height*TILE);pile.clear(tones);for(let i=0;i<columns.length;i++){let changed=pile.
moveTo(states[columns[i]]);changed>=0&&paintColumn(pile,view,changed,column);let t=i%TILE;tile.set(column,t*height),(t===TILE-1||i===columns.length-1)&&writeTile(
tile,columns,i-t,i+1,view,out)}}};function paintColumn(pile,view,changed,column){let{order:order2,bottom,count:count2,sums,tone,bytes:bytes2,tones}=pile,{bytesFrom,
lines:lines3,height}=view,scale=height/(view.bytesTo-bytesFrom),start2=clamp(Math.floor((bottom[changed]-bytesFrom)*scale),0,height),j=changed;for(;j>0&&(bottom[j]-
bytesFrom)*scale>start2;)j--;let y=start2,red=0,green=0,blue=0,covered=0;for(;j<pile.length&&y<height;j++){let c=order2[j],chunkLow=(bottom[j]-bytesFrom)*scale,
chunkHigh=(bottom[j+1]-bytesFrom)*scale;if(chunkHigh<=y)continue;if(chunkLow>=y&&chunkHigh<y+1){covered+=sums[c*SUMS]*scale,red+=sums[c*SUMS+1]*scale,green+=sums[c*
SUMS+2]*scale,blue+=sums[c*SUMS+3]*scale;continue}let offset=bottom[j];for(let q=c*CHUNK,end=q+count2[c];q<end&&y<height;q++){let low=(offset-bytesFrom)*scale;offset+=
bytes2[q];let high=(offset-bytesFrom)*scale;if(high<=y)continue;let t=tone[q],r=tones.red[t],g=tones.green[t],b=tones.blue[t],from=low>y?low:y;if(high<y+1){let part=high-
from;red+=r*part,green+=g*part,blue+=b*part,covered+=part;continue}if(covered>0||from>y){let part=y+1-from;column[y++]=blend(red+r*part,green+g*part,blue+b*part,
covered+part,tones.paperChannels)}let whole=Math.floor(high);whole>y&&(column.fill(tones.fill[t],y,Math.min(whole,height)),lines3&&high-low>=LINE_FROM&&whole<=height&&
(column[whole-1]=tones.line[t]),y=whole),covered=high-whole,red=r*covered,green=g*covered,blue=b*covered}}y>=height||(covered>0&&(column[y++]=blend(red,green,blue,
covered,tones.paperChannels)),column.fill(tones.paper,y))}function blend(r,g,b,covered,paper){let bare=covered<1?1-covered:0,red=r+paper[0]*bare+.5|0,green=g+paper[1]*
bare+.5|0,blue=b+paper[2]*bare+.5|0;return(255<<24|Math.min(255,blue)<<16|Math.min(255,green)<<8|Math.min(255,red))>>>0}function writeTile(tile,columns,from,to,{
states,height},out){for(let y=0;y<height;y++){let row=(height-1-y)*states.length;for(let i=from;i<to;i++)out[row+columns[i]]=tile[(i-from)*height+y]}}var PITCH=6,WIDER=4,INK=.12*255,PATTERNS=[(x,y,pitch,thick)=>(x+y)%pitch<thick,(x,y,pitch,thick)=>(x+(pitch-y%pitch))%pitch<thick,(x,y,pitch,thick)=>y%pitch<thick,
(x,y,pitch,thick)=>x%pitch<thick,(x,y,pitch,thick)=>x%pitch<2*thick&&y%pitch<2*thick];function patterned(present){return Array.from(present,(is,group)=>is?group:
-1).filter(group=>group>=0)}function idTones(groups,of){let hex=v=>v.toString(16).padStart(2,"0"),colors=Array.from({length:groups},(_,i)=>`#${hex(16*i+8)}${hex(
i*i)}00`);return new Tones("light","#0000ff",colors,of)}function idOf(pixel2){let id=((pixel2&255)-8)/16;return Number.isInteger(id)&&(pixel2>>8&255)===id*id&&(pixel2>>
16&255)===0?id:-1}var Patterns=class{constructor(){this.element=document.createElement("canvas"),this.picture,this.tones,this.grouping=null}get isUnfinished(){return this.
picture?.isCoarse??!1}paint(timeline,grouping,view,ms){this.picture?.raster.timeline!==timeline&&(this.picture=new Picture(new Raster(timeline))),this.grouping!==
grouping&&(this.tones=idTones(grouping.groups.length,grouping.of)),this.grouping=grouping,this.picture.paint(this.tones,{...view,lines:!1},ms);let{pixels}=this.
picture,width=view.states.length,out=new Uint32Array(pixels.length),order2=patterned(grouping.present),ratio=Math.max(1,Math.round(devicePixelRatio)),kinds=grouping.
groups.map(({ink},group)=>{let place=order2.indexOf(group),color=(pixel(channels(ink))&16777215)+Math.round(INK)*2**24;return{covers:PATTERNS[place%5],pitch:(PITCH+
WIDER*Math.floor(place/5))*ratio,color}});for(let i=0,y=0;i<pixels.length;y++)for(let x=0;x<width;x++,i++){let group=idOf(pixels[i]);group>=0&&kinds[group].covers(
x,y,kinds[group].pitch,ratio)&&(out[i]=kinds[group].color)}let image2=new ImageData(new Uint8ClampedArray(out.buffer),width);this.element.width=image2.width,this.
element.height=image2.height,this.element.getContext("2d")?.putImageData(image2,0,0)}};var RULES=4,Legend=class{constructor(app,update){this.app=app,this.update=update,this.explained=""}elements(live,total2){let{grouping:{groups,present,mode},device:{
data}}=this.app,held2=heldBy(this.app.grouping,data.size,live),shares=mode==="family"?sharesOf(data,live):[],shown=[...groups.keys()].filter(i=>present[i]),parts=shown.
filter(i=>held2[i].bytes>0).map(i=>h("span",{title:`${groups[i].label} ${bytes(held2[i].bytes)}`,css:{background:groups[i].color,flex:`${held2[i].bytes} 0 0`}}));
return[h("div.bar",...parts),h("div.legend",...shown.flatMap(i=>this.#entry(i,held2[i],shares,total2)))]}#entry(i,held2,shares,total2){let{app}=this,{groups,mode}=app.
grouping,{label,color,name}=groups[i],why=shares.filter(s=>app.report.rules[s.rule]?.family===i).slice(0,RULES),key=`${mode} ${name}`,open=this.explained===key,
title=[`${label}: ${exactBytes(held2.bytes)} in ${counted(held2.tensors,"tensor")}`,...why.map(r=>`${bytes(r.bytes)}: ${app.report.rules[r.rule].because}`),"Cli\
ck isolates, Shift-click adds"].join(`
`);return[h("div",{class:held2.bytes>0?"entry":"entry none"},h("button.group",{pressed:app.isolated.size===0||app.isolated.has(i),title,click:event=>isolate(app,
i,event.shiftKey)},this.#swatch(i,color),h("span",mode==="size"?`${label}, ${count(held2.tensors)}`:label),h("span.number",bytes(held2.bytes)),h("span.number.fa\
int",held2.bytes>0?share(held2.bytes,total2):"")),h("button.why",{text:"?",title:"What decided this colour",label:`What decided: ${label}`,pressed:open,click:()=>{
this.explained=open?"":key,this.update()}})),open?h("div.reasons",...why.length>0?this.#reasons(why):[this.#sentence(name)]):null].filter(x=>x!==null)}#swatch(i,color){
let{patterns,grouping}=this.app,square=swatch(color);return patterns&&(square.classList.add(`p${patterned(grouping.present).indexOf(i)%5}`),square.style.setProperty(
"--hatch",`${grouping.groups[i].ink}80`)),square}#reasons(why){let{app}=this,{report,device:{data,stacks}}=app;return why.map(({rule,bytes:sum,tensors,largest:largest2})=>{
let{because,qualifier}=report.rules[rule],by=decidingFrame(data,stacks,largest2);return h("button",{title:`${exactBytes(sum)} in ${counted(tensors,"tensor")}
Click pins the largest of them`,click:()=>app.pin(largest2)},h("b",bytes(sum)),` ${because}${qualifier?`, ${qualifier}`:""}`,by?h("span.mono",`${by.freed?"freed\
 by ":""}${nameOf(by.frame)}  ${placeOf(by.frame)}`):h("span.mono","no stack was recorded"))})}#sentence(name){let{mode}=this.app.grouping,kinds=!["family","siz\
e","life"].includes(mode),rest=name==="others"?"These are all others.":"The eight largest at the peak have colours of their own.";return h("p",`A tensor is colo\
ured by ${BY[mode]}. ${kinds?rest:""}`)}};function mountPanel(app,root){let update=()=>{let{device,happened:happened2,momentState:state,live,total:total2}=app,reserved=device.timeline.reservedAt(state),
unused=bytes(Math.max(0,reserved-total2));root.replaceChildren(h("div.head",h("h2",happened2?"In the range":"In memory"),device.hasHistory?moments(app):null),h(
"div.total",h("b",{text:bytes(total2),title:exactBytes(total2)}),...happened2?rangeWords(app,happened2):[h("span",momentWords(app,state)),h("p",{text:`${counted(
live.length,"tensor")}; reserved ${bytes(reserved)}, of it unused ${unused}`,title:`reserved ${exactBytes(reserved)}`})]),...happened2?[]:oomCard(app,state),...legend.
elements(live,total2))},legend=new Legend(app,update);app.onBeside(["device","moment","colour"],update)}function moments(app){let{moment}=app;return segmented("\
Moment",[{text:"Peak",title:"P",pressed:moment==="peak",click:()=>app.setMoment("peak")},{text:"Cursor",title:"Click the timeline to set it",pressed:moment==="c\
ursor",click:()=>app.setMoment("cursor")},{text:"End",title:"E",pressed:moment==="end",click:()=>app.setMoment("end")},{text:"Range",title:"Shift-drag in the pl\
ot brushes one; R takes the view",pressed:moment==="range",click:()=>app.range?app.setMoment("range"):setRange(app,rangeInView(app))}])}function rangeWords(app,{
first,after,kept,allocated,freed:freed2,freedTensors}){let{active}=app.device.timeline,{from,to}=app.range??{from:0,to:0},made=after-first,net=active[to]-active[from],
line2=(text,title)=>h("p",{text,title});return[h("span","allocated inside and still live"),line2(`${count(kept.length)} of ${counted(made,"tensor")}; allocated ${bytes(
allocated)}, freed ${bytes(freed2)}`,`allocated ${exactBytes(allocated)} in ${counted(made,"tensor")}, freed ${exactBytes(freed2)} in ${counted(freedTensors,"te\
nsor")}`),line2(`live at its end ${bytes(active[to])}, ${net===0?"as at":`${change(net)} from`} its start`,`events ${count(from)} to ${count(to-1)}; live before\
 ${exactBytes(active[from])}, after ${exactBytes(active[to])}`),h("span.actions",h("button",{text:"Alone",title:"Show only what it keeps, in its own height (A)",
pressed:app.alone!==null,click:()=>toggleAlone(app)}),h("button",{text:"Zoom",title:"Zoom to the range (Z)",click:()=>showRange(app)}),h("button",{text:"×",label:"\
No range",title:"Esc",click:()=>setRange(app,null)}))]}function momentWords(app,state){return app.device.hasHistory?(app.moment==="peak"?"at the peak, ":app.moment===
"end"?"at the end, ":"")+(state===app.device.timeline.lastState?"after the last event":`before event ${count(state)}`):"in the final state"}function oomCard(app,state){
let oom=app.device.data.ooms.find(m=>m.state===state);if(!oom)return[];let{timeline}=app.device,active=timeline.active[state],rows=[["asked for",oom.size],["fre\
e on the device",oom.free],["reserved, unused",Math.max(0,timeline.reservedAt(state)-active)],["in use by tensors",active]];return[h("div.oom",h("b","Out of mem\
ory"),...rows.flatMap(([name,value])=>[h("span",name),h("span.number",{text:bytes(value),title:exactBytes(value)})]))]}function popUnder(anchor,label,contents){let pop=h("div.pop",{role:"dialog",label});return pop.popover="auto",pop.addEventListener("beforetoggle",event=>{if(pop.
replaceChildren(),event.newState!=="open")return;let{right,bottom}=anchor.getBoundingClientRect();pop.style.right=`${innerWidth-right}px`,pop.style.top=`${bottom+
4}px`,pop.append(h("div",...contents())),pop.querySelector("input")?.toggleAttribute("autofocus",!0)}),pop.addEventListener("keydown",event=>{event.key==="Escap\
e"&&(event.preventDefault(),pop.hidePopover())}),anchor.after(pop),pop}function field(label,placeholder,value=""){let input=h("input",{label,value});return input.
placeholder=placeholder,input.spellcheck=!1,input.autocomplete="off",input}var KEPT_MS=6e4,Exports=class{constructor(app,stage,button){this.app=app,this.stage=stage,this.pop=popUnder(button,"Export",()=>this.#menu()),this.pop.addEventListener(
"toggle",()=>this.pop.querySelector("button")?.focus()),button.popoverTargetElement=this.pop}open(){this.pop.showPopover()}#menu(){let screen=this.#screen(),rows=tableRows(
screen).length,{length}=selection(screen),file=(text,click)=>h("button",{text,title:`Download as ${text}`,click}),line2=(name,note2,...buttons)=>h("div.export",
h("span",name),h("span.faint",note2),...buttons);return[line2("Picture","the view with its legend",file("PNG",()=>this.picture()),file("SVG",()=>this.vectors())),
line2("Table",counted(rows,"row"),file("CSV",()=>this.#data("table","csv",csv(tableSheet(screen)))),file("JSON",()=>this.#data("table","json",json(screen,"table",
tableSheet(screen))))),line2("Tensors",screen.lit?`${count(length)} lit`:counted(length,"tensor"),file("CSV",()=>this.#data("tensors","csv",csv(tensorSheet(screen)))),
file("JSON",()=>this.#data("tensors","json",json(screen,"tensors",tensorSheet(screen))))),line2("Markdown","for a ticket",copyButton("Copy","Copy as Markdown (M\
)",()=>this.copyMarkdown())),line2("Link","to this view",copyButton("Copy","Copy the link (K)",()=>this.copyLink()))]}#screen(){let{app}=this,{device,report,grouping,
momentState:state,happened:happened2,lit,order:order2,found}=app,range=happened2?app.range:null;return{device,report,grouping,state,happened:happened2,range,words:range?
`allocated in events ${count(range.from)} to ${count(range.to-1)} and still live`:momentWords(app,state),live:app.live.slice(),lit,order:order2,query:found.query,
filters:found.filters}}copyMarkdown(){copyText(markdown(this.#screen()))}copyLink(){copyText(location.href)}picture(){let figure=this.#figure(g2=>{let{marks,cursor}=this.
stage.elements,{width:width2,height:height2}=figure.layout;for(let canvas2 of[marks,cursor])g2.drawImage(canvas2,0,0,width2,height2)}),{width,height}=figureSize(
figure),canvas=h("canvas");canvas.width=Math.round(width*devicePixelRatio),canvas.height=Math.round(height*devicePixelRatio);let g=canvas.getContext("2d");g.scale(
devicePixelRatio,devicePixelRatio),drawFigure(g,figure),canvas.toBlob(blob=>blob&&download(this.#name("png"),blob))}vectors(){let figure=this.#figure(g=>this.stage.
drawOver(g.canvas)),{width,height}=figureSize(figure),ruler=h("canvas").getContext("2d"),svg=new SvgContext(width,height,(font,text)=>(ruler.font=font,ruler.measureText(
text).width));drawFigure(svg,figure),download(this.#name("svg"),new Blob([svg.toString()],{type:"image/svg+xml"}))}#figure(over){let{app,stage}=this;stage.drawNow();
let screen=this.#screen(),{device}=app,{timeline,file,report}=device;return{style:app.style,layout:stage.scales.layout,scales:stage.scales,ticks:stage.ticks,hasHistory:device.
hasHistory,title:`${file.name}, ${report.label}`,facts:[`peak ${bytes(timeline.active[timeline.peak])}`,`reserved ${bytes(timeline.reservedPeak)}`,`live at end ${bytes(
report.final_bytes)}`,counted(report.allocations,"tensor"),counted(report.events,"event"),file.torch&&`torch ${file.torch}`,app.report.program].filter(Boolean).
join(" · "),words:screen.words,total:total(screen),held:held(screen),plot:stage.chart.plot.element,minimap:stage.chart.minimap.element,over}}#data(what,kind,text){
let type=kind==="csv"?"text/csv":"application/json";download(this.#name(`${what}.${kind}`),new Blob([text],{type:`${type};charset=utf-8`}))}#name(end){let{device,
moment,momentState}=this.app,stem=device.file.name.replace(/\.(pickle|pkl|json)?(\.gz)?$/i,""),when=moment==="cursor"?`state ${momentState}`:moment,name=`${stem}\
 ${device.report.label} ${when}`.replace(/[^\w.]+/g,"-").replace(/^[-.]+/,"");return/^\w+\.\w+$/.test(end)?`${name}-${end}`:`${name}.${end}`}};function download(name,blob){
let link=h("a");link.href=URL.createObjectURL(blob),link.download=name,link.click(),setTimeout(()=>URL.revokeObjectURL(link.href),KEPT_MS)}function reveal({viewport,device:{data}},id){let[from,to]=spanOf(viewport.axis,data.first[id],data.last[id]);(to<=viewport.from||from>=viewport.to)&&viewport.centre(
from)}function goTo(app,text){let{device:{data,timeline,hasTime,hasHistory}}=app,goal=parseGoal(text);if(!goal)return"Neither an event, a time nor an address";if("\
us"in goal){if(!hasTime||!data.time)return"This recording has no times";let axis=new TimeAxis(data.time,!1);return goal.us>axis.extent?`It ends after ${duration(
axis.extent)}`:goToState(app,axis.stateAt(goal.us))}if("event"in goal&&hasHistory&&goal.event<=timeline.lastState)return goToState(app,goal.event);if("id"in goal)
return goal.id>=data.count?`The last tensor is #${count(data.count-1)}`:goToTensor(app,goal.id);let beyond=hasHistory?`The last state is ${count(timeline.lastState)}`:
"No events were recorded";if(!goal.place)return beyond;let there=addressTest(data,goal.place),now=app.momentState,best=-1;for(let id=0;id<data.count;id++)!there(
id)||best>=0&&data.last[id]<now||(best<0||data.last[best]<now)&&(best=id);return best>=0?goToTensor(app,best):"event"in goal?beyond:"Nothing was ever allocated \
there"}function goToState(app,state){return app.viewport.reach(app.viewport.axis.middle(state)),app.setMoment("cursor",state),""}function goToTensor(app,id){let{
first,last}=app.device.data;return(app.momentState<first[id]||app.momentState>last[id])&&app.setMoment("cursor",first[id]),app.pin(id),reveal(app,id),""}function change2(app,old,word){let others=app.found.filters.filter(w=>!old.test(w));search(app,app.found.query,word?[...others,word]:others)}function toggleLive(app){
change2(app,/^live/,app.found.filters.includes("live")?"":"live")}function mountFilters(app,button){let pop=popUnder(button,"Filter",()=>controls(app,()=>pop.hidePopover()));
button.popoverTargetElement=pop}function controls(app,close){let{data,file,report:{pools},hasHistory}=app.device,streams=file.streams.map((_,i)=>streamName(file.
streams,i).slice(7));return[bounds(app,"Size","size","1 MiB"),hasHistory&&bounds(app,"Lifetime","life",data.hasTime?"100 or 5 ms":"100"),hasHistory&&trait(app,"\
At the end","live",["live","freed"]),hasHistory&&trait(app,"Allocated","pre",["before","recorded"]),streams.length>1&&choice(app,"Stream","stream",streams),pools.
length>1&&choice(app,"Pool","pool",pools),h("div.foot",h("span",hasHistory?"Lifetimes in events, µs, ms or s":""),h("button",{text:"Clear",click:()=>{search(app,
app.found.query,[]),close()}}))]}function bounds(app,label,key,example){let[least,most]=[">","<"].map(sign=>{let old=new RegExp(`^${key}${sign}`),word=app.found.
filters.find(w=>old.test(w))??"",input=field(`${label} ${sign===">"?"from":"to"}`,sign===">"?example:"",word.replace(/^.*[<>]=?/,""));return input.addEventListener(
"change",()=>{let text=input.value.replace(/\s/g,""),next=text&&`${key}${sign}=${text}`,isNone=next!==""&&!parseFilter(next);input.setCustomValidity(isNone?`suc\
h as ${example}`:""),isNone?input.reportValidity():change2(app,old,next)}),input});return h("div.line",h("span",label),least,h("span","to"),most)}function trait(app,label,key,names){
let old=new RegExp(`^${key}`),words=["",key,`${key}:no`],now=app.found.filters.find(w=>old.test(w))??"",group=segmented(label,["any",...names].map((text,i)=>({text,
pressed:words[i]===now,click:()=>{change2(app,old,words[i]),[...group.children].forEach((b,j)=>b.setAttribute("aria-pressed",String(i===j)))}})));return h("div.\
line",h("span",label),group)}function choice(app,label,key,names){let old=new RegExp(`^${key}:`),now=app.found.filters.find(w=>old.test(w))?.slice(key.length+1)??
"",select=h("select",...["",...names].map(value=>h("option",{value,text:value||"any"})));return select.value=now,select.addEventListener("change",()=>change2(app,
old,select.value&&`${key}:${select.value}`)),h("label",h("span",label),select)}var PAUSE_MS=120,FindBox=class{constructor(app,root){this.app=app,this.timer=0,this.found=null,this.ids=new Uint32Array(0),this.input=field("Find","Find functio\
n, file, address, /regex/"),this.words=h("output");let step=(by,text,title)=>h("button",{text,title,label:title,click:()=>this.step(by)});this.steps=h("span",step(
-1,"‹","Previous match (N)"),step(1,"›","Next match (n)")),this.box=h("label.box",{title:HELP},h("span.faint","⌕"),this.input,this.words,this.steps,h("kbd",
"/")),this.filter=h("button",{title:"By size, lifetime, stream … (L: live at the end)"}),root.append(this.box,this.filter),mountFilters(app,this.filter),this.
where=popUnder(this.box,"Go to",()=>this.#whereTo()),this.input.addEventListener("input",()=>{clearTimeout(this.timer),this.timer=setTimeout(()=>this.#search(),
PAUSE_MS)}),this.input.addEventListener("keydown",event=>{event.key==="Enter"?this.step(event.shiftKey?-1:1):event.key==="Escape"&&this.input.blur()}),this.input.
addEventListener("blur",()=>this.#search()),app.onBeside(["device","colour","moment","pin"],()=>this.#update())}focus(){this.input.focus(),this.input.select()}#search(){
clearTimeout(this.timer),this.timer=0,this.input.value!==this.app.found.query&&search(this.app,this.input.value)}#update(){let{app,input}=this,{found}=app;if(found!==
this.found){this.found=found,this.ids=new Uint32Array(found.count);for(let id=0,n3=0;n3<found.count;id++)found.hits?.[id]&&(this.ids[n3++]=id)}this.timer===0&&(input.
value=found.query);let said=sentence(app,this.ids);[this.words.textContent,this.words.title]=[said.text,said.title],this.steps.hidden=found.count===0;let n2=found.
filters.length;this.filter.textContent=n2>0?`Filter ${count(n2)}`:"Filter",this.filter.setAttribute("aria-pressed",String(n2>0))}step(by){this.#search();let{app,
ids}=this,{pinned,viewport,device}=app;if(ids.length===0)return;let{first}=device.data,{axis,from,to}=viewport,at=by>0?countUpTo(ids,pinned??countBelow(first,axis.
stateAt(from))-1):countBelow(ids,pinned??countUpTo(first,axis.stateAt(to)))-1,id=ids[(at+ids.length)%ids.length];app.pin(id),reveal(app,id)}askWhere(){this.where.
showPopover()}#whereTo(){let input=field("Go to","event 1,525 · 54.4 ms · 0x7f06…"),problem=h("span");return input.addEventListener("keydown",event=>{event.
key==="Enter"&&(problem.textContent=goTo(this.app,input.value),problem.textContent||this.where.hidePopover())}),[h("div.go",h("span","Go to"),input),h("div.foot",
problem)]}},HELP=`Words, "one phrase" or /regex/ in functions, files, operators, annotations and metadata
0x7f06 or b7f06_0: addresses; _0 is the first allocation there
size>1MiB  life<20  life>5ms  live:yes  pre:no  stream:0  pool:default`;function sentence({found,pinned,moment,momentState,device:{timeline,hasHistory}},ids){let{
hits,problem}=found;if(!hits)return{text:problem,title:problem};if(ids.length===0)return{text:"nothing found",title:""};let place=pinned!==null&&hits[pinned]?`${count(
countUpTo(ids,pinned))} of `:"",states=[["peak",timeline.peak]];hasHistory&&(moment==="cursor"||moment==="end")&&states.push([moment,momentState]);let sums=states.
map(([name,state])=>({name:hasHistory?` at ${name}`:"",sum:litBytes(timeline,hits,state)})),said=words=>[place+counted(ids.length,"tensor"),...sums.map(({name,sum})=>words(
sum)+name)].join(", ");return{text:said(bytes),title:said(exactBytes)}}function mountHeader(app,elements){let closed=new Set;app.on(["device"],()=>{let{file,report}=app.device;elements.file.textContent=file.name,elements.file.title=
file.name,elements.device.replaceChildren(deviceChoice(app)),elements.facts.replaceChildren(...facts(app.device));let{ok,text,why}=report.verdict;elements.verdict.
textContent=`${ok?"✓":"⚠"} ${text}`,elements.verdict.title=why,elements.verdict.classList.toggle("limited",!ok),elements.warnings.replaceChildren(...report.
warnings.filter(w=>!closed.has(w)).map(w=>warningBar(w,()=>closed.add(w))))})}function deviceChoice(app){let{report:{files},device}=app,devices=files.reduce((n2,file)=>n2+
file.devices.length,0);if(devices<2)return h("span.only",device.report.label);let select=h("select",{label:"Device",title:`${devices} devices`});return files.forEach(
(file,f)=>{let options=file.devices.map((d,i)=>{let option=h("option",{text:`${d.label}  ·  peak ${bytes(d.peak_bytes)}`,value:`${f}.${i}`});return option.selected=
f===device.fileIndex&&i===device.deviceIndex,option});if(files.length===1)select.append(...options);else if(options.length>0){let group=h("optgroup",...options);
group.label=file.name,select.append(group)}}),select.addEventListener("change",()=>{let[f,i]=select.value.split(".").map(Number);app.open(f,i).then(()=>app.settle())}),
select}function facts({report:r,file,timeline,hasHistory,hasTime}){let list=[["peak",bytes(r.peak_bytes),`${count(r.peak_bytes)} bytes in state ${count(r.peak_state)}`,
!0],["reserved",bytes(timeline.reservedPeak),`${count(timeline.reservedPeak)} bytes at most`,!0],["live at end",bytes(r.final_bytes),`${count(r.final_bytes)} by\
tes in ${count(r.live_at_end)} tensors`,!1],["tensors",count(r.allocations),"",!0]];return hasHistory&&list.push(["events",count(r.events),"",!1]),hasTime&&list.
push(["span",duration(r.span_us),r.first_time?`from ${r.first_time}`:"",!1]),file.torch&&list.push(["torch",file.torch,"a guess from what the file holds",!1]),list.
map(([name,value,title,always])=>h("div",{class:always?"":"wide",title},h("dt",name),h("dd",value)))}function warningBar({fact,consequence,code},close){let bar2=h(
"div.warning",{role:"status"},h("b",fact),h("span",consequence),code?h("code",{text:code,title:"Copy",click:()=>{copyText(code)}}):null,h("button.plain",{text:"\
×",label:"Close",click:()=>{bar2.remove(),close()}}));return bar2}var REST_MS=120,Glance=class{constructor(app){this.app=app,this.timer=0,this.wanted=""}at(part){let wanted=part?part.by+part.key:"";wanted!==this.wanted&&(this.
wanted=wanted,clearTimeout(this.timer),this.timer=setTimeout(()=>glance(this.app,part),REST_MS))}drop(){clearTimeout(this.timer),glance(this.app,null)}};var ROW2=17,HEADING=26,LEAST=2,NAMED2=30,PLACED=130,IDLE_MS=80;function mountIcicle(app,root){let wide=matchMedia("(min-width: 1440px)"),glance2=new Glance(app),
cells=h("div.cells");root.append(h("h3","Stacks, outermost on top"),cells);let wayOf=()=>[],shown="",timer=0,draw=()=>{if(root.hidden)return;let{device,grouping,
lit,part}=app,rows=Math.floor((root.clientHeight-HEADING)/ROW2),width=cells.clientWidth,{live,total:total2}=app,made=icicle(device,live,grouping.of,lit,rows,LEAST/
width);wayOf=made.wayOf,shown="",cells.replaceChildren(...made.cells.map(cell2=>{let pixels=cell2.width*width,own={by:"stack",key:cell2.key},element=h("button",
{class:cell2.lit?"cell":"cell unlit",title:`${bytes(cell2.bytes)}, ${share(cell2.bytes,total2)} (${exactBytes(cell2.bytes)})
${cell2.title}`,label:`${cell2.name} ${bytes(cell2.bytes)}`,pressed:part?.by==="stack"&&part.key===cell2.key,css:{"--of":grouping.groups[cell2.group].color,left:`${cell2.
from*100}%`,top:`${cell2.depth*ROW2}px`,width:`${Math.max(1,pixels-1)}px`},click:()=>{glance2.drop(),isolatePart(app,own)}},pixels>=NAMED2?cell2.name:null,pixels>=
PLACED&&cell2.place?h("small",cell2.place):null);return element.addEventListener("pointerenter",()=>glance2.at(own)),element}))},update=()=>{root.hidden=!wide.matches||
app.pinned!==null,clearTimeout(timer),timer=setTimeout(draw,IDLE_MS)};cells.addEventListener("pointerleave",()=>glance2.at(null)),app.onBeside(["device","moment",
"colour","pin"],update),app.onBeside(["hover"],()=>{let{hover,device}=app,way=hover?.hit?wayOf(device.data.stack[hover.hit.id]):[];way.join()!==shown&&(shown=way.
join(),[...cells.children].forEach((element,i)=>element.classList.toggle("under",way.includes(i))))}),new ResizeObserver(()=>{app.device&&update()}).observe(root),
wide.addEventListener("change",()=>{app.device&&update()})}var AWAY=14,EDGE=8;function mountLaneTip(app,timeline){let root=h("div.tip",{role:"tooltip"});root.hidden=!0,document.body.append(root),app.on(["view"],()=>app.
setLane(null)),app.on(["lane","device"],()=>{let{lane}=app;if(root.hidden=!lane,!lane)return;root.replaceChildren(...lines(app,lane));let box=timeline.getBoundingClientRect(),
left=Math.min(box.left+lane.x+AWAY,innerWidth-EDGE-root.offsetWidth);root.style.left=`${Math.max(EDGE,left)}px`,root.style.top=`${box.top+lane.y+AWAY}px`})}function lines({
device:{timeline,data}},{lane,i}){let from=lane.from[i],to=lane.to[i],peak=timeline.active[timeline.highest.best(from,to)],time=lane.time?lane.time.to[i]-lane.time.
from[i]:data.time&&to>from?data.time[to-1]-data.time[from]:null,note2=lane.notes[i];return[h("div.first",h("b",lane.names[i]),note2?h("span.faint",note2):null),
h("div",`${from===to?"no events":`events ${count(from)} → ${count(to-1)}, ${counted(to-from,"event")}`}${time===null?"":`, ${duration(time)}`}`),h("div",`peak\
 ${bytes(peak)}, ${change(timeline.active[to]-timeline.active[from])} from start to end`),...lane.leftOut?[h("div.faint",lane.leftOut)]:[],h("div.faint","Click \
to choose it as the range, double click to zoom")]}function spanOfStep({device,viewport:{axis}},i){let{from,to}=device.lanes.steps.range(i);return stretchOf(axis,from,to)}function stepShown(app){let{viewport}=app,
{steps}=app.device.lanes;if(steps.count===0)return-1;let{axis,from,to}=viewport;if(app.step&&app.step.from===from&&app.step.to===to)return app.step.i;let i=steps.
at(axis.stateAt(viewport.middle)),[a,b]=spanOfStep(app,i);return Math.abs(a-from)<1&&Math.abs(b-to)<1?i:-1}function stepBeside(app,by){let{viewport}=app,left=viewport.
axis.stateAt(viewport.from);return app.device.lanes.steps.next(stepShown(app),viewport.isWhole,left,by)}function showStep(app,i){if(i<0)return;let{viewport}=app;
viewport.show(...spanOfStep(app,i)),app.step={i,from:viewport.from,to:viewport.to}}function stepWords(app){let{steps}=app.device.lanes,i=stepShown(app);return i<0?steps.word:`${steps.word} ${count(i+1)} of ${count(steps.count)}`}function stepButtons(app){
let{steps}=app.device.lanes;if(steps.count<2)return null;let go=i=>showStep(app,i),words=stepWords(app),[before,after]=[stepBeside(app,-1),stepBeside(app,1)];return segmented(
"Steps",[{text:"‹",title:`The ${steps.word} before (,)`,disabled:before<0,click:()=>go(stepBeside(app,-1))},{text:words[0].toUpperCase()+words.slice(1),title:`\
The ${steps.word} that the panel speaks about. ${count(steps.count)} of them, ${steps.method}`,click:()=>go(steps.at(app.momentState))},{text:"›",title:`The ${steps.
word} after (.)`,disabled:after<0,click:()=>go(stepBeside(app,1))}])}function bindings({app,exports,history:history2,find:find2,pinned,table,theme,list,guide,spoken}){let view=()=>app.viewport,step=by=>{let id=neighbour(app,by);if(id===
null)return;app.pin(id);let{data,sites}=app.device,site=sites.site(id);spoken.textContent=`${bytes(data.size[id])} ${app.grouping.groups[app.grouping.of[id]].one}\
, ${site.name} ${site.place}`},back=({key})=>["ArrowLeft","[",","].includes(key);return[["Move",[["drag","pan"],["wheel","zoom at the pointer"],["Shift wheel","\
pan"],["← →","pan a quarter, with Shift all","ArrowLeft ArrowRight",e=>view().pan(view().width*(back(e)?-1:1)*(e.shiftKey?1:.25))],["+ −","zoom","+ = -",e=>view().
zoom(e.key==="-"?2:.5,view().middle)],["0","whole recording","0",()=>view().whole()],["Y","fit height","y",()=>view().toggleFit()],["Alt wheel","zoom height"],[
"Alt drag","zoom to a box"],["[ ]","view back, forward","[ ]",e=>back(e)?history2.back():history2.forward()]]],["Go to",[["P","peak","p",()=>app.setMoment("peak")],
["O","out of memory","o",()=>showOOM(app)],["E","end","e",()=>app.setMoment("end")],[", .","step before, after",", .",e=>{showStep(app,stepBeside(app,back(e)?-1:
1)),spoken.textContent=stepWords(app)}],["Z","zoom to the pin or range","z",()=>app.pinned===null?showRange(app):showLife(app,app.pinned)],["1 2 3 4","the four \
answers","1 2 3 4",e=>answer(e.key)]]],["Find",[["/","search; Enter next, Esc leaves","/",()=>find2.focus()],["n N","next, previous match","n",e=>find2.step(e.shiftKey?
-1:1)],["L","only live at the end","l",()=>toggleLive(app)],["G","go to event, address or time","g",()=>find2.askWhere()]]],["Select",[["click","pin a tensor"],
["double click","zoom to its life"],["↑ ↓","tensor above, below","ArrowUp ArrowDown",e=>step(e.key==="ArrowUp"?1:-1)],["Shift drag","brush a range"],["R","r\
ange: this view","r",()=>setRange(app,rangeInView(app),app.alone!==null)],["A","what the range keeps alone","a",()=>toggleAlone(app)],["I","isolate the row","i",
()=>table.isolate()],["Esc","clear, innermost first","Escape",()=>{guide.hidden&&escape(app),guide.hidden=!0}]]],["Show",[["C","colour by the next","c",()=>setColourMode(
app,modeAfter(app.device,app.colourMode))],["X","events or time","x",()=>app.setAxis(view().axis.kind==="events"?"time":"events")],["V","fold the lanes","v",()=>app.
foldLanes(!app.lanesFolded)],["H","patterns","h",()=>setPatterns(app,!app.patterns)],["S","stack: all frames","s",()=>pinned.toggleFolds()],["T","light, dark, s\
ystem","t",()=>theme.cycle()]]],["Take away",[["Ctrl C","copy the pinned stack"],["M","copy as Markdown","m",()=>app.pinned===null?exports.copyMarkdown():pinned.
copy(!0)],["D","download or copy …","d",()=>exports.open()],["K","copy the link to this view","k",()=>exports.copyLink()]]],["Help",[["?","this list","?",()=>list.
showModal()],["W","how to read this","w",()=>{guide.hidden=!guide.hidden}]]]]}function mountKeys(actions){let{app,list,pinned,table}=actions,groups=bindings(actions),
runs=new Map;for(let[,,keys,run]of groups.flatMap(([,all])=>all))if(run)for(let key of keys?.split(" ")??[])runs.set(key,run);addEventListener("keydown",event=>{
if(event.defaultPrevented||!app.device||list.open||isTyping(event.target))return;if(event.ctrlKey||event.metaKey){event.key==="c"&&!getSelection()?.toString()&&
!(app.pinned===null&&table.copy())&&pinned.copy(!1);return}if(event.altKey)return;let run=runs.get(event.key)??runs.get(event.key.toLowerCase());!run||!app.device.
hasHistory&&needsHistory(event.key)||(event.preventDefault(),run(event))}),list.append(h("h2","Keys"),h("div.keys",...groups.map(([title,all])=>h("section",h("h\
3",title),...all.map(([shown,does])=>h("p",h("span",...caps(shown)),h("span",does))))))),list.addEventListener("click",event=>{event.target===list&&list.close()})}
function needsHistory(key){return"ArrowLeft ArrowRight + = - p o e x y z r a v , . [ ]".split(" ").includes(key)}function isTyping(target){return target instanceof
HTMLInputElement||target instanceof HTMLTextAreaElement||target instanceof HTMLSelectElement}function caps(shown){return shown.split(" ").flatMap(word=>[/^(drag|wheel|click|double)$/.
test(word)?word:h("kbd",word)," "])}function answer(n2){let element=document.querySelector(`#answers > :nth-child(${n2})`);element instanceof HTMLButtonElement&&
element.click()}function neighbour(app,by){let{shown,device:{data},pinned}=app,state=pinned===null||data.first[pinned]<=app.momentState&&app.momentState<=data.last[pinned]?
app.momentState:data.last[pinned],live=shown.live(state);if(live.length===0)return null;let at=pinned===null?by>0?-1:live.length:live.indexOf(pinned);return live[at+
by]??null}function stackElement(frames,operator,open){let list=h("div.stack");for(let item of foldStack(frames,operator)){if(!item.fold){list.append(line(item.frame,item.
times));continue}let inner=h("div",...item.frames.map(f=>line(f,1)));inner.hidden=!open;let button=h("button.fold",{text:`${open?"▾":"▸"} ${item.label}`,click:()=>{
inner.hidden=!inner.hidden,button.textContent=`${inner.hidden?"▸":"▾"} ${item.label}`}});list.append(button,inner)}return list}function line(frame,times){let kind=frame.
kind===USER?"user":frame.kind===LIBRARY?"library":"internal",place=placeOf(frame),name=nameOf(frame);return h("div",{class:`frame ${kind}`,title:fullText(frame)},
h("span.place",place||name),h("span.name",(place?name:"")+(times>1?` × ${count(times)}`:"")))}var PinnedPanel=class{constructor(app,root,side){this.app=app,this.root=root,this.side=side,this.tab="alloc",this.open=!1,app.onBeside(["device","pin"],()=>{this.#chooseTab(),
this.update()}),app.onBeside(["colour"],()=>this.update())}#chooseTab(){let{device:{data,stacks},pinned}=this.app,none=pinned!==null&&stacks.isEmpty(data.stack[pinned]);
this.tab=none&&!stacks.isEmpty(data.freeStack(pinned??0))?"free":"alloc"}update(){let{app,root}=this,id=app.pinned;if(this.side.classList.toggle("pinning",id!==
null),root.hidden=id===null,id===null){root.replaceChildren();return}let{grouping,device:{data,report}}=app,group=grouping.groups[grouping.of[id]];root.replaceChildren(
h("div.head",swatch(group.color),h("h2",`${bytes(data.size[id])} ${group.one}`),h("span.faint",`#${count(id)}`),h("span.actions",app.device.hasHistory?h("button\
.zoom",{text:"Zoom",title:"Zoom to its life (Z)",click:()=>showLife(app,id)}):null,copyButton("Copy stack","All frames as text (Ctrl-C)",()=>this.copy(!1)),h("b\
utton",{text:"×",label:"Unpin",title:"Esc",click:()=>app.pin(null)}))),h("dl",...this.#facts(id,report.peak_bytes)),this.#tabs(id),this.#stack(id))}#facts(id,peak){
let{data,stacks,file}=this.app.device,rows=[["size",`${exactBytes(data.size[id])} requested`,note(`${share(data.size[id],peak)} of the peak`)],["lived",...lived(
this.app,id)],["address",h("span.mono",data.address.text(id)||"left out"),note(streamName(file.streams,data.stream[id]))]],rule=this.app.report.rules[data.rule[id]];
rule&&rows.push(["because",`${rule.because}`,rule.qualifier?note(rule.qualifier):""]);let operator=stacks.operatorOf(data.stack[id]);operator&&rows.push(["opera\
tor",h("span.mono",operator)]);let region=data.context.get(id),metadata=data.metadata.get(id);return region!==void 0&&rows.push(["compiled",stacks.strings.at(region)]),
metadata!==void 0&&rows.push(["metadata",stacks.strings.at(metadata)]),rows.flatMap(([name,...values])=>{let dd=h("dd",...values);return dd.title=dd.textContent??
"",[h("dt",String(name)),dd]})}#tabs(id){let{data,stacks}=this.app.device,tab=(value,text)=>h("button",{role:"tab",text,selected:this.tab===value,click:()=>{this.
tab=value,this.update()}}),freed2=data.isLiveAtEnd(id)?"Never freed":"Freed by",frames=stacks.frames(this.#shownStack(id)).length;return h("div.tabs",{role:"tab\
list"},tab("alloc","Allocated by"),tab("free",freed2),frames>0?h("span.note",`${count(frames)} ${frames===1?"frame":"frames, innermost first"}`):null)}#stack(id){
let{data,stacks}=this.app.device,stack=this.#shownStack(id);return stacks.isEmpty(stack)?h("p.why",whyNoStack(data,id,this.tab)):stackElement(stacks.frames(stack),
stacks.operatorOf(stack),this.open)}#shownStack(id){let{data}=this.app.device;return this.tab==="alloc"?data.stack[id]:data.freeStack(id)}toggleFolds(){this.open=
!this.open,this.update()}copy(markdown2){let{app}=this,id=app.pinned;if(id===null)return;let{grouping,device:{data,stacks}}=app,life2=`event ${data.startEvent(id)??
"before recording"} to ${data.endEvent(id)??"live at the end"}`,what=this.tab==="free"?"freed by":"allocated by",header=`${exactBytes(data.size[id])} ${grouping.
groups[grouping.of[id]].one}, ${[life2,data.address.text(id),what].filter(Boolean).join(", ")}:`,text=stackText(plainSpaces(header),stacks.frames(this.#shownStack(
id)));copyText(markdown2?markdownFence(text):text)}};function lived(app,id){let{data}=app.device;if(!app.device.hasHistory)return["live in the final state"];let start2=data.
startEvent(id),end=data.endEvent(id),pending=data.freeRequest(id),words=`${start2===null?"before recording":`event ${count(start2)}`} → ${end===null?"end (sti\
ll live)":count(end)}`,{time}=data,parts=[];return time&&start2!==null&&parts.push(duration((end===null?time[time.length-1]:time[end])-time[start2])),pending!==
null&&parts.push(`free requested at ${count(pending)}`),[words,...parts.map(note)]}function whyNoStack(data,id,tab){return tab==="free"?data.isLiveAtEnd(id)?"St\
ill live when the snapshot was taken.":'The event that freed it carries no stack. Record with stacks="all" and context="all".':data.isPreExisting(id)?"It was th\
ere before the recording began, so nobody wrote down who allocated it. Call torch.cuda.memory._record_memory_history() before the model is built.":'Its event ca\
rries no stack. Record with torch.cuda.memory._record_memory_history(context="all").'}function note(text){return h("span.faint",text)}function mountStatus(app,where,scale,plotWidth){let updateWhere=()=>{let{device,hover}=app,{timeline,data}=device;if(!device.hasHistory){where.replaceChildren("\
No events were recorded: blocks of the final state, largest first in each family.");return}let state=hover?.state??app.momentState,fact=(name,value,note2="")=>h(
"span",`${name} `,h("b",value),note2);where.replaceChildren(fact("state",count(state),` of ${count(timeline.lastState)}`),...data.time?[fact("t",duration(state===
0?0:data.time[state-1]))]:[],fact("active",bytes(app.shown.active[state])),fact("reserved",bytes(timeline.reservedAt(state))))},updateScale=()=>{scale.textContent=
app.device.hasHistory?scaleWords(app,plotWidth()):""};app.onBeside(["device","moment","hover"],updateWhere),app.on(["device","settled"],updateScale),addEventListener(
"resize",()=>{app.device&&updateScale()})}function scaleWords(app,plotWidth){let{viewport}=app,{axis}=viewport,pixels=Math.round(plotWidth*devicePixelRatio),covered=axis.
states(viewport.from,viewport.to),each=covered?(covered[1]-covered[0]+1)/pixels:0,crowded=", drawn at its highest, dotted at its lowest; zoom in to see tensors \
shorter than that",events=n2=>n2<10?String(Number(n2.toFixed(1))):count(n2);return axis.kind==="time"?`1 column = ${duration(viewport.width/pixels)}, about ${events(
each)} events${each>1?crowded:""}`:each>1?`1 column = ${events(each)} events${crowded}`:each>.2?"every event has its own column":`1 event = ${count(plotWidth/viewport.
width)} px`}var HEIGHT=21,MORE=12,VirtualRows=class{constructor(root,line2){this.root=root,this.line=line2,this.count=0,this.from=this.to=0,this.list=h("div.list"),root.append(
this.list),root.addEventListener("scroll",()=>this.#fill(),{passive:!0}),new ResizeObserver(()=>this.#fill()).observe(root)}reset(count2){this.count=count2,this.
from=this.to=0,this.list.style.height=`${count2*HEIGHT}px`,this.list.replaceChildren(),this.#fill()}reveal(first,last){let{root}=this;root.scrollTop=Math.min(first*
HEIGHT,Math.max(root.scrollTop,(last+1)*HEIGHT-root.clientHeight+8))}#fill(){let{root,list,count:count2}=this;root.parentElement?.classList.toggle("scrolls",root.
scrollHeight>root.clientHeight);let from=Math.max(0,Math.floor(root.scrollTop/HEIGHT)-MORE),to=Math.min(count2,Math.ceil((root.scrollTop+root.clientHeight)/HEIGHT)+
MORE);if(from>=this.from&&to<=this.to&&this.to-this.from<=to-from+2*MORE&&list.childElementCount>0)return;this.from=Math.max(0,from-MORE),this.to=Math.min(count2,
to+MORE),list.style.paddingTop=`${this.from*HEIGHT}px`;let length=Math.max(0,this.to-this.from);list.replaceChildren(...Array.from({length},(_,i)=>this.line(this.
from+i)))}};var TABS=[["site","Call site"],["file","File"],["function","Function"],["family","Family"]],ACTIONS="actions",GONE="gone",Table=class{#rows=[];#gone=[];#showGone=!1;#lines=[];#twins=new Set;#lit=new Set;#pointed=null;#under="";constructor(app,root){
this.app=app,this.root=root,this.tabs=h("div.tabs",{role:"tablist"}),this.heads=h("div.columns"),this.body=h("div.rows"),root.append(this.tabs,this.heads,this.body),
this.list=new VirtualRows(this.body,i=>this.#line(i)),this.glance=new Glance(app),app.onBeside(["device","moment","colour","sort"],()=>this.update()),app.onBeside(
["pin"],()=>this.#arrange(!0)),app.onBeside(["hover"],()=>this.#mark());for(let type of["pointerover","focusin"])this.body.addEventListener(type,e=>this.#point(
e.target));for(let type of["pointerleave","focusout"])this.body.addEventListener(type,()=>this.#point(null))}update(){let{app}=this,{device,grouping,happened:happened2,
order:order2}=app,live=app.live.slice(),{rows,gone,sort}=sorted(breakdown(device,live,happened2,order2.by,grouping.of),order2,happened2);this.#rows=rows,this.#gone=
gone,this.#twins=twinNames([...rows,...gone]),this.#lit=litKeys(app.lit,live,id=>device.sites.site(id,order2.by).key),this.root.classList.toggle("range",happened2!==
null),this.#head(sort,rows.length+gone.length),this.body.scrollTop=0,this.#arrange(!1)}#head(sort,rows){let{app,tabs,heads}=this,{by,rising}=app.order;tabs.replaceChildren(
...TABS.map(([value,text])=>h("button",{role:"tab",text,selected:by===value,click:()=>app.setOrder({by:value})})),h("span.note",counted(rows,"row")));let head=(column,text)=>h(
"button",{text:text+(sort===column?rising?" ↑":" ↓":""),title:"Sort",click:()=>app.setOrder({sort:column,rising:sort===column?!rising:column==="name"})});heads.
replaceChildren(h("span"),head("name",by),...app.happened?[head("bytes","still live"),head("allocated","of allocated")]:[head("bytes","bytes"),h("span","share"),
head("tensors","tensors")])}get#current(){let{pinned,order:order2,device}=this.app;return pinned===null?null:device.sites.site(pinned,order2.by).key}#arrange(reveal2){
let key=this.#current,rows=this.#showGone?[...this.#rows,...this.#gone]:this.#rows,at=rows.findIndex(row=>row.key===key),lines3=[...rows];at>=0&&lines3.splice(at+
1,0,ACTIONS),this.#gone.length>0&&lines3.push(GONE),this.#lines=lines3,this.#under="",this.list.reset(lines3.length),reveal2&&at>=0&&this.list.reveal(at,at+1)}#line(i){
let line2=this.#lines[i];if(line2===ACTIONS)return this.#actions(this.#lines[i-1]);if(line2!==GONE)return this.#row(line2);let n2=this.#gone.length;return h("bu\
tton.row.gone",{text:this.#showGone?`Hide ${counted(n2,"row")} that freed all they allocated`:`${counted(n2,"more row")} freed all they allocated`,click:()=>{this.#showGone=
!this.#showGone,this.#arrange(!1)}})}#row(row){let{app}=this,{happened:happened2,grouping}=app,state=`row${row.key===this.#current?" on":""}${this.#lit.has(row.
key)?"":" unlit"}`,number=(text,style="",title="")=>h("span",{class:`number ${style}`,text,title});return h("button",{class:state,title:row.title,click:()=>app.
pin(row.largest)},swatch(grouping.groups[row.group].color),h("span",{class:row.name===NO_STACK?"site none":"site"},h("span",row.name),row.place?placeElement(row,
this.#twins):null),number(bytes(row.bytes),"",`${exactBytes(row.bytes)} in ${counted(row.bytes>0?row.tensors:0,"tensor")}`),...happened2?[number(bytes(row.allocated),
"faint",exactBytes(row.allocated))]:[number(share(row.bytes,app.device.timeline.active[app.momentState]),"faint"),number(count(row.tensors),"faint")])}#actions(row){
let{app}=this,go=(text,id)=>h("button",{text,title:`To the ${text.toLowerCase()} tensor of this row`,click:()=>jump(app,id)});return h("div.actions",h("button",
{text:"Isolate",title:"Fade everything else (I)",pressed:app.part?.key===row.key&&app.part.by===app.order.by,click:()=>this.isolate(row)}),copyButton("Copy","Th\
e row as text",()=>copyText(this.#text(row))),...app.device.hasHistory?[go("First",row.first),go("Last",row.last)]:[])}isolate(row=this.#pointed??this.#currentRow){
let{app}=this,{by}=app.order;if(!row)return;this.glance.drop();let group=by==="family"?app.grouping.groups.findIndex(g=>g.name===row.key):-1;group>=0?isolate(app,
group,!1):isolatePart(app,{by,key:row.key})}copy(){return this.#pointed&&copyText(this.#text(this.#pointed)),this.#pointed!==null}get#currentRow(){let key=this.#current;
return[...this.#rows,...this.#gone].find(row=>row.key===key)??null}#text(row){let{happened:happened2,range,momentState,device}=this.app,size=n2=>`${bytes(n2)} (${exactBytes(
n2)})`,where=happened2&&range?`still live of ${size(row.allocated)} allocated in events ${count(range.from)} to ${count(range.to-1)}`:`of ${size(device.timeline.
active[momentState])} live in state ${count(momentState)}`,tensors=row.bytes>0?`, ${counted(row.tensors,"tensor")}`:"";return plainSpaces(`${row.title}: ${size(
row.bytes)} ${where}${tensors}
`)}#point(target){let element=target instanceof Element?target.closest(".row"):null,line2=element?this.#lines[this.list.from+[...this.list.list.children].indexOf(
element)]:null;this.#pointed=line2&&typeof line2=="object"?line2:null,this.glance.at(this.#pointed&&{by:this.app.order.by,key:this.#pointed.key})}#mark(){let{hover,
device,order:order2}=this.app,key=hover?.hit?device.sites.site(hover.hit.id,order2.by).key:"";key!==this.#under&&(this.#under=key,[...this.list.list.children].forEach(
(element,i)=>{let line2=this.#lines[this.list.from+i];element.classList.toggle("under",typeof line2=="object"&&line2.key===key)}))}};function placeElement({place,
file},twins){let line2=/:\d+$/.exec(place)?.[0]??"",name=place.slice(0,place.length-line2.length);return h("em",h("span",twins.has(name)?twoLastParts(file):name),
h("b",line2))}function twinNames(rows){let paths=new Map,twins=new Set;for(let{file}of rows){if(!file)continue;let name=baseName(file);(paths.get(name)??file)!==
file&&twins.add(name),paths.set(name,file)}return twins}var KEY="memviz-theme",ORDER=["light","dark","system"],Theme=class{constructor(app){this.app=app,this.system=matchMedia("(prefers-color-scheme: dark)"),this.system.
addEventListener("change",()=>{this.choice==="system"&&this.#apply()}),this.choice=this.#stored(),addEventListener("beforeprint",()=>this.#set("light")),addEventListener(
"afterprint",()=>this.#apply())}cycle(){this.choice=ORDER[(ORDER.indexOf(this.choice)+1)%ORDER.length];try{localStorage.setItem(KEY,this.choice)}catch{}this.#apply()}force(theme){
this.choice=theme,this.#apply()}#apply(){this.#set(this.choice==="system"?this.system.matches?"dark":"light":this.choice)}#set(theme){document.documentElement.dataset.
theme!==theme&&(document.documentElement.dataset.theme=theme,themeChanged(this.app))}#stored(){try{let stored=localStorage.getItem(KEY);if(stored==="light"||stored===
"dark")return stored}catch{}return"system"}};function mountToolbar(app,history2,root){let update=()=>{let{device,viewport}=app;if(!device.hasHistory){root.replaceChildren(colourChoice(app));return}let go=[
{text:"Peak",title:"Panel to the peak (P)",click:()=>app.setMoment("peak")}];app.device.data.ooms.length>0&&go.push({text:"OOM",title:"The last events before ou\
t of memory (O)",click:()=>showOOM(app)}),go.push({text:"End",title:"Panel to the end (E)",click:()=>app.setMoment("end")});let back=h("button.icon",{text:"↶",
title:"View back ([)",label:"View back",disabled:!history2.canBack,click:()=>history2.back()}),forward=h("button.icon",{text:"↷",title:"View forward (])",label:"\
View forward",disabled:!history2.canForward,click:()=>history2.forward()}),view=segmented("View",[{text:"Whole",title:"Whole recording (0)",click:()=>viewport.whole()}]);
view.append(back,forward);let fitted2=viewport.isFitted;root.replaceChildren(colourChoice(app),...device.hasTime?[segmented("Axis",[{text:"Events",title:"One st\
ate, one step (X)",pressed:viewport.axis.kind==="events",click:()=>app.setAxis("events")},{text:"Time",title:"Recorded time (X)",pressed:viewport.axis.kind==="t\
ime",click:()=>app.setAxis("time")}])]:[],segmented("Go to",go),stepButtons(app)??"",view,segmented("Height",[{text:"Fit height",title:"Start the height at the \
lowest byte that changes in view (Y)",pressed:fitted2,click:()=>viewport.toggleFit()}]))};app.on(["device","settled","colour"],update)}function colourChoice(app){
let select=h("select",{label:"Colour by",title:"Colour by (C)"},...modesOf(app.device).map(({mode,label,lacks})=>{let option=h("option",{text:lacks?`${label}: ${lacks}`:
label,value:mode});return option.disabled=lacks!=="",option}));return select.value=app.colourMode,select.addEventListener("change",()=>setColourMode(app,select.
value)),h("label.choice",h("span","Colour"),select)}var AWAY2=14,EDGE2=8;function mountTooltip(app,root,timeline){let shown=-1,pointer={x:0,y:0};timeline.addEventListener("pointermove",e=>{pointer={x:e.clientX,y:e.
clientY}},{capture:!0}),app.on(["hover","view","device"],()=>{let hover=app.hover,id=hover?.hit?.id??-1;if(root.hidden=id<0||app.moving,!hover||root.hidden){shown=
-1;return}(id!==shown||root.dataset.state!==String(hover.state))&&root.replaceChildren(...lines2(app,id,hover.state)),root.dataset.state=String(hover.state),shown=
id;let{offsetWidth:width,offsetHeight:height}=root,right=pointer.x+AWAY2,below2=pointer.y+AWAY2+2;root.style.left=`${Math.max(EDGE2,right+width>innerWidth-EDGE2?
pointer.x-width-AWAY2:right)}px`,root.style.top=`${Math.max(EDGE2,below2+height>innerHeight-EDGE2?pointer.y-height-AWAY2:below2)}px`})}function lines2(app,id,state){
let{grouping,shown,device:{data,stacks,file,hasHistory}}=app,group=grouping.groups[grouping.of[id]],stack=data.stack[id],total2=shown.active[state],user=stacks.
siteFrame(stack),library=stacks.frames(stack).find(f=>f.kind===LIBRARY),none=stacks.isEmpty(stack),where=user?`${nameOf(user)}  ${placeOf(user)}`:none?data.isPreExisting(
id)?"allocated before the recording":"no stack recorded":"no user frame",detail=[stacks.backward[stack]?"autograd":"",stacks.operatorOf(stack),library?placeOf(library):
""].filter(Boolean).join("  ");return[h("div.first",swatch(group.color),h("b",bytes(data.size[id])),h("span",group.one),h("span.id",`#${count(id)}`)),h("div",{class:user?
"mono user":"user",text:where}),detail?h("div.mono",detail):null,h("div",`${share(data.size[id],total2)} of ${bytes(total2)} live here`,h("span.id.mono",`${data.
address.text(id)} ${streamName(file.streams,data.stream[id])}`.trimStart())),hasHistory?h("div",[life(data,id),freed(data,stacks,id)].filter(Boolean).join("; ")):
null,h("div.faint","Click to pin the full stack")].filter(x=>x!==null)}function life(data,id){let start2=data.startEvent(id),end=data.endEvent(id),words=`${start2===
null?"before recording":`event ${count(start2)}`} → ${end===null?"live at the end":count(end)}`;return!data.time||start2===null?words:`${words}, ${duration(data.
time[end??data.events-1]-data.time[start2])}`}function freed(data,stacks,id){let stack=data.freeStack(id);if(stacks.isEmpty(stack)||stack===data.stack[id])return"";
let site=siteOf(stacks,stack);return`freed by ${site.name} ${site.place}`.trimEnd()}var OURS=["d","x","y","at","sel","c","iso","r","al","tab","sort","lanes","q","f"],SETTLED_MS=400,BYS=["site","file","function","family"],SORTS=["name","bytes","\
tensors","allocated"],Hash=class{constructor(app){this.app=app,this.timer=0,this.reading=!1,this.pushed=location.hash,addEventListener("hashchange",()=>this.#follow()),
app.on(["settled","moment","pin","colour","sort"],()=>this.#write())}device(){let{report}=this.app,[a,b]=(this.#get("d")??"").split("."),file=b===void 0?report.
start.file:Number(a),ordinal=Number(b??a),device=a?report.files[file]?.devices.findIndex(d=>d.device===ordinal)??-1:-1;return device<0?report.start:{file,device}}apply(){
let{app}=this,{viewport,device:{timeline}}=app;this.reading=!0;let colour=this.#get("c");setColourMode(app,colour??app.defaultColourMode),search(app,this.#get("\
q")??"",(this.#get("f")??"").split(" "));let iso=this.#get("iso")??"",names=iso.split(","),isolated=new Set(app.grouping.groups.flatMap((g,i)=>names.includes(g.
name)?[i]:[])),part=partOf(iso);(part||app.part||isolated.size>0||app.isolated.size>0)&&setIsolated(app,part?new Set:isolated,part),app.setOrder(orderOf(this.#get(
"tab"),this.#get("sort"))),app.foldLanes(this.#get("lanes")==="0");let r=pairOf(this.#get("r")),range=r&&app.device.hasHistory?rangeOf(...r,timeline.lastState):
null;(range||app.range)&&setRange(app,range,this.#get("al")==="1");let[,axis,span]=/^([et]):(.*)$/.exec(this.#get("x")??"")??[],x=pairOf(span);app.setAxis(x&&axis===
"t"?"time":"events");let y=this.#get("y"),bytes2=pairOf(y);viewport.mode=y==="fit"?"fit":"auto",viewport.show(...x??[0,viewport.axis.end]),bytes2&&viewport.setBytes(
...bytes2);let at=this.#get("at"),state=Number(at);at==="end"?app.setMoment("end"):at==="range"&&range?app.setMoment("range"):at!==null&&Number.isInteger(state)&&
state>=0&&state<=timeline.lastState?app.setMoment("cursor",state):app.setMoment(app.device.hasHistory?"peak":"end");let sel=this.#get("sel");app.pin(sel!==null&&
/^\d+$/.test(sel)?Number(sel):null),this.reading=!1}#get(key){return new URLSearchParams(location.hash.slice(1)).get(key)}async#follow(){let{app}=this,{file,device}=this.
device();this.pushed=location.hash,(!app.device||file!==app.device.fileIndex||device!==app.device.deviceIndex)&&await app.open(file,device),this.apply(),app.settle()}#write(){
if(this.reading)return;let text=this.#text();text!==location.hash.slice(1)&&(replace(text),clearTimeout(this.timer),this.timer=setTimeout(()=>{if(location.hash===
this.pushed)return;let now=location.hash.slice(1);replace(this.pushed.slice(1)),history.pushState(null,"","#"+now),this.pushed=location.hash},SETTLED_MS))}#text(){
let{app}=this,{viewport,device,report:{start:start2,files}}=app,{axis}=viewport,params=new URLSearchParams(location.hash.slice(1));for(let key of OURS)params.delete(
key);let set=(key,value)=>{value&&params.set(key,value)},ordinal=device.report.device;set("d",(device.fileIndex!==start2.file||device.deviceIndex!==start2.device)&&
(files.length>1?`${device.fileIndex}.${ordinal}`:String(ordinal))),set("x",(!viewport.isWhole||axis.kind==="time")&&`${axis.kind[0]}:${Math.round(viewport.from)}\
-${viewport.isWhole?Math.ceil(viewport.to):Math.round(viewport.to)}`),set("y",viewport.mode==="fit"?"fit":viewport.mode==="free"&&`${Math.round(viewport.low)}-${Math.
round(viewport.high)}`),set("at",device.hasHistory&&(app.moment==="end"||app.moment==="range"?app.moment:app.moment==="cursor"&&String(app.cursor))),set("sel",app.
pinned!==null&&String(app.pinned)),set("c",app.colourMode!==app.defaultColourMode&&app.colourMode),set("r",app.range!==null&&`${app.range.from}-${app.range.to}`),
set("al",app.alone!==null&&"1"),set("lanes",app.lanesFolded&&"0");let{by,sort,rising}=app.order;return set("tab",by!=="site"&&by),set("sort",(sort!=="bytes"||rising)&&
sort[0]+(rising?".up":"")),app.part?set("iso",`${app.part.by}:${app.part.key}`):set("iso",app.isolated.size>0&&[...app.isolated].map(i=>app.grouping.groups[i].name).
join(",")),set("q",app.found.query),set("f",app.found.filters.join(" ")),params.toString().replaceAll("%3A",":").replaceAll("%2C",",")}};function pairOf(text){let[
,from,to]=/^(\d{1,15})-(\d{1,15})$/.exec(text??"")??[];return from?[Number(from),Number(to)]:null}function partOf(iso){let[,by,key]=/^(site|file|function|family|stack):([^]*)$/.
exec(iso)??[];return by?{by,key}:null}function orderOf(tab,sort){let by=BYS.find(b=>b===tab)??"site",[letter,up]=(sort??"").split(".");return{by,sort:SORTS.find(
s=>s[0]===letter)??"bytes",rising:up==="up"}}function replace(hash){history.replaceState(null,"",hash===""?location.pathname+location.search:"#"+hash)}var MOST3=100,ViewHistory=class{constructor(app){this.app=app,this.views=[],this.at=-1,app.on(["device"],()=>{this.views=[],this.at=-1,this.keep()}),app.on(["se\
ttled"],()=>this.keep())}get canBack(){return this.at>0}get canForward(){return this.at<this.views.length-1}back(){this.#go(-1)}forward(){this.#go(1)}#go(by){this.
app.moving&&this.keep();let entry=this.views[this.at+by];if(!entry)return;this.at+=by;let{app}=this;(entry.range!==app.range||entry.alone!==(app.alone!==null))&&
setRange(app,entry.range,entry.alone),this.app.setAxis(entry.axis),this.app.viewport.restore(entry.view),this.app.settle()}keep(){let{viewport,range,alone}=this.
app,entry={axis:viewport.axis.kind,view:viewport.view,range,alone:alone!==null},now=this.views[this.at];now&&traits(now).every((v,i)=>v===traits(entry)[i])||(this.
views=[...this.views.slice(Math.max(0,this.at+1-MOST3),this.at+1),entry],this.at=this.views.length-1)}};function traits({axis,range,alone,view:{from,to,low,high}}){
return[axis,range,alone,from,to,low,high]}var EDGE3=5;function stateAt({viewport},{scales},x){let{left,right}=scales.layout;return viewport.axis.stateAt(scales.position(clamp(x,left,right-1)))}function dragTo(app,stage,from){
let{range:before}=app;return{move:q=>{let range=rangeOf(from,stateAt(app,stage,q.x),app.device.timeline.lastState);range&&brush(app,range)},end:()=>{app.range!==
before&&setRange(app,app.range,app.alone!==null)}}}function brushDrag(app,stage,p){return dragTo(app,stage,stateAt(app,stage,p.x))}function edgeAt({range,viewport},{
scales},p){if(!range||scales.part(p.x,p.y)!=="plot")return null;let[from,to]=spanOf(viewport.axis,range.from,range.to).map(v=>Math.abs(scales.x(v)-p.x));return Math.
min(from,to)>EDGE3?null:from<to?"from":"to"}function edgeDrag(app,stage,p){let edge=edgeAt(app,stage,p);return edge&&app.range?dragTo(app,stage,app.range[edge===
"from"?"to":"from"]):null}var EDGE4=6,LEAST_BOX=4;function dragFrom(app,stage,p,alt){let{scales}=stage,{viewport}=app,part=scales.part(p.x,p.y),start2=viewport.view;if(part==="minimap"&&
app.device.hasHistory)return minimapDrag(app,stage,p);if(part==="bytes"){let perPixel2=(start2.high-start2.low)/scales.layout.plotHeight;return{move:q=>viewport.
setBytes(start2.low+(q.y-p.y)*perPixel2,start2.high+(q.y-p.y)*perPixel2)}}if(part!=="plot")return null;if(alt)return boxDrag(app,stage,p);if(!app.device.hasHistory)
return{click:!0,move:()=>{}};let perPixel=viewport.width/scales.layout.plotWidth;return{click:!0,move:q=>{let width=start2.to-start2.from,from=clamp(start2.from+
(p.x-q.x)*perPixel,0,viewport.axis.end-width);viewport.show(from,from+width)}}}function boxDrag(app,stage,p){let{layout}=stage.scales,kept=q=>({x:clamp(q.x,layout.
left,layout.right),y:clamp(q.y,layout.top,layout.bottom)});return{move:q=>{let c=kept(q);stage.box={x0:Math.min(p.x,c.x),y0:Math.min(p.y,c.y),x1:Math.max(p.x,c.
x),y1:Math.max(p.y,c.y)},stage.invalidate(1)},end:()=>{let{box,scales}=stage;if(stage.box=null,stage.invalidate(1),!box||box.x1-box.x0<LEAST_BOX||box.y1-box.y0<
LEAST_BOX)return;let from=scales.position(box.x0),to=scales.position(box.x1),low=scales.bytes(box.y1),high=scales.bytes(box.y0);app.device.hasHistory&&app.viewport.
show(from,to),app.viewport.setBytes(low,high)}}}function minimapDrag({viewport},{scales},p){let{from,to}=viewport.view,width=to-from,a=scales.minimapX(from),b=scales.
minimapX(to),at=q=>clamp(scales.minimapPosition(q.x),0,viewport.axis.end);if(!viewport.isWhole&&Math.abs(p.x-a)<=EDGE4&&p.x<b)return{move:q=>viewport.show(Math.
min(at(q),to),to)};if(!viewport.isWhole&&Math.abs(p.x-b)<=EDGE4)return{move:q=>viewport.show(from,Math.max(at(q),from))};if(!viewport.isWhole&&p.x>a&&p.x<b)return{
move:q=>{let f=clamp(from+at(q)-at(p),0,viewport.axis.end-width);viewport.show(f,f+width)}};let drawn=!1;return{move:q=>{drawn=!0,viewport.show(Math.min(at(p),at(
q)),Math.max(at(p),at(q)))},end:()=>{!drawn&&!viewport.isWhole&&viewport.centre(at(p))}}}function laneDrag(app,stage,p){let part=stage.scales.part(p.x,p.y);if(part==="fold")return{move:()=>{},tap:()=>app.foldLanes(!app.lanesFolded)};if(part!=="lanes")
return null;let hit=stage.laneAt(p.x,p.y),{lastState}=app.device.timeline;return{...brushDrag(app,stage,p),tap:()=>{let range=hit&&rangeOf(hit.lane.from[hit.i],
hit.lane.to[hit.i],lastState);setRange(app,range,range!==null&&app.alone!==null)}}}var STILL=3,LONG_PRESS=500,Pointer=class{constructor(app,stage,surface){this.app=app,this.stage=stage,this.surface=surface,this.drag=null,this.pressed={x:0,y:0},
this.moved=!1,this.fingers=new Map,this.pressTimer=0,surface.addEventListener("pointerdown",e=>this.#down(e)),surface.addEventListener("mousedown",e=>{e.preventDefault(),
document.activeElement instanceof HTMLElement&&document.activeElement.blur()}),surface.addEventListener("pointermove",e=>this.#move(e)),surface.addEventListener(
"pointerup",e=>this.#up(e)),surface.addEventListener("pointercancel",e=>this.#cancel(e)),surface.addEventListener("pointerleave",()=>{app.setLane(null),this.drag||
app.setHover(null)}),surface.addEventListener("wheel",e=>this.#wheel(e),{passive:!1}),surface.addEventListener("dblclick",e=>this.#double(e))}#down(event){if(!this.
app.device||event.pointerType==="mouse"&&event.button!==0)return;let p=point(event);this.surface.setPointerCapture(event.pointerId),this.pressed=p,this.moved=!1,
event.pointerType==="touch"&&(this.fingers.set(event.pointerId,p),clearTimeout(this.pressTimer),this.pressTimer=setTimeout(()=>{!this.moved&&this.fingers.size===
1&&this.#pinAt(p)},LONG_PRESS)),this.drag=laneDrag(this.app,this.stage,p)||this.#brushes(event,p)&&brushDrag(this.app,this.stage,p)||edgeDrag(this.app,this.stage,
p)||dragFrom(this.app,this.stage,p,event.altKey)}#brushes({shiftKey},p){return shiftKey&&this.app.device.hasHistory&&this.stage.scales.part(p.x,p.y)==="plot"}#move(event){
let{app,stage}=this;if(!app.device||!stage.scales)return;let p=point(event);if(this.fingers.has(event.pointerId)){if(this.fingers.size===2){this.#pinch(event.pointerId,
p);return}this.fingers.set(event.pointerId,p)}if(this.drag){this.moved||=Math.hypot(p.x-this.pressed.x,p.y-this.pressed.y)>STILL,this.moved&&(app.setHover(null),
app.setLane(null),this.drag.move(p));return}this.surface.style.cursor=this.#cursorAt(p),app.setHover(stage.at(p.x,p.y)),app.setLane(stage.laneAt(p.x,p.y))}#cursorAt({
x,y}){let{stage:{scales},app:{viewport,device}}=this,part=scales.part(x,y);if(part==="bytes")return"ns-resize";if(part==="fold"||part==="lanes"&&this.stage.laneAt(
x,y))return"pointer";if(part==="lanes")return"crosshair";if(edgeAt(this.app,this.stage,{x,y}))return"ew-resize";if(part==="plot")return"crosshair";if(part!=="mi\
nimap"||!device.hasHistory)return"default";let near=Math.min(Math.abs(x-scales.minimapX(viewport.from)),Math.abs(x-scales.minimapX(viewport.to)));return viewport.
isWhole?"crosshair":near<=EDGE4?"ew-resize":x>scales.minimapX(viewport.from)&&x<scales.minimapX(viewport.to)?"grab":"crosshair"}#pinch(id,p){let other=[...this.
fingers].find(([k])=>k!==id)?.[1],before=this.fingers.get(id);if(this.fingers.set(id,p),this.moved=!0,!other||!before||!this.app.device.hasHistory)return;let{scales}=this.
stage,was=Math.max(8,Math.abs(before.x-other.x)),is=Math.max(8,Math.abs(p.x-other.x));this.app.viewport.zoom(was/is,scales.position((p.x+other.x)/2))}#up(event){
clearTimeout(this.pressTimer),this.fingers.delete(event.pointerId);let{drag}=this;this.drag=null,drag&&(drag.end?.(),this.moved||drag.tap?.(),drag.click&&!this.
moved&&event.pointerType!=="touch"&&this.#pinAt(point(event)))}#cancel(event){clearTimeout(this.pressTimer),this.fingers.delete(event.pointerId),this.drag=null,
this.stage.box=null}#pinAt(p){let{app}=this,found=this.stage.at(p.x,p.y);found&&(app.setHover(null),app.device.hasHistory&&app.setMoment("cursor",found.state),app.
pin(found.hit?found.hit.id:null))}#wheel(event){let{app,stage}=this;if(!app.device)return;event.preventDefault();let{scales}=stage,{viewport}=app,{x,y}=point(event),
unit=event.deltaMode===1?18:event.deltaMode===2?400:1,dx=event.deltaX*unit,dy=event.deltaY*unit;if(app.setHover(null),event.altKey)viewport.zoomBytes(Math.exp(dy*
.002),scales.bytes(y));else if(app.device.hasHistory)event.shiftKey||Math.abs(dx)>Math.abs(dy)?viewport.pan((Math.abs(dx)>Math.abs(dy)?dx:dy)/scales.layout.plotWidth*
viewport.width):viewport.zoom(Math.exp(dy*(event.ctrlKey?.01:.002)),y>scales.layout.minimapTop-3&&y<scales.layout.minimapTop+MINIMAP?viewport.middle:scales.position(
x));else return}#double(event){let p=point(event),part=this.stage.scales.part(p.x,p.y);if(part==="bytes"){this.app.viewport.whole();return}if(part==="lanes"){showRange(
this.app);return}if(part!=="plot")return;let found=this.stage.at(p.x,p.y);found?.hit&&this.app.device.hasHistory?showLife(this.app,found.hit.id):this.app.viewport.
whole()}};function point(event){return{x:event.offsetX,y:event.offsetY}}var PLACEHOLDER=/^__f__(\w+)__f__$/;function revive(value,functions){if(typeof value=="string"){let name=PLACEHOLDER.exec(value)?.[1];return name!==void 0&&Object.
hasOwn(functions,name)?functions[name]:value}return Array.isArray(value)?value.map(v=>revive(v,functions)):value&&typeof value=="object"?Object.fromEntries(Object.
entries(value).map(([k,v])=>[k,revive(v,functions)])):value}var Chart=class{constructor(echarts,element,options){this.scene=null,this.plot,this.minimap,this.minimapOf=[],this.minimapStates=new Int32Array(0),this.ms=1/0,this.
minimapDue=!0,this.chart=echarts.init(element,null,{renderer:"canvas",width:1,height:1}),this.chart.setOption(revive(options,{timeline:params=>this.#plotImage(params.
coordSys),minimap:params=>this.#minimapImage(params.coordSys),position:v=>this.scene?.ticks.labelX(v)??"",bytes:v=>this.scene?.ticks.labelY(v)??""}))}resize({width,
height}){width===this.chart.getWidth()&&height===this.chart.getHeight()||(this.scene=null,this.chart.resize({width,height}))}draw(scene,ms){if(this.plot?.raster.
timeline!==scene.timeline){let raster=new Raster(scene.timeline);this.plot=new Canvas(raster),this.minimap=new Canvas(raster)}this.scene=scene,this.ms=ms,this.#planMinimap(
scene);let{layout,viewport,ticks,style,hasHistory}=scene,label={color:style.ink3,fontSize:11,lineHeight:11},line2={lineStyle:{color:style.strong}};this.chart.setOption(
{textStyle:{fontFamily:style.font},grid:[{left:layout.left,top:layout.top,width:layout.plotWidth,height:layout.plotHeight},{left:layout.left,top:hasHistory?layout.
minimapTop:layout.height+50,width:layout.plotWidth,height:MINIMAP}],xAxis:[{min:viewport.from,max:viewport.to,axisLine:{show:!0,...line2},axisTick:{show:hasHistory,
customValues:ticks.x,length:4,...line2},axisLabel:{...label,show:hasHistory,customValues:ticks.x,margin:7,hideOverlap:!0,showMinLabel:!0,showMaxLabel:!0}},{min:0,
max:viewport.axis.end}],yAxis:[{min:viewport.low,max:viewport.high,axisTick:{show:!1},axisLabel:{...label,customValues:ticks.y,margin:8,showMinLabel:!0,showMaxLabel:!0}},
{min:0,max:viewport.ceiling}]}),this.chart.getZr().flush()}get columns(){return this.plot?.columns??new Int32Array(0)}get isUnfinished(){return this.plot.isCoarse||
this.minimapDue}#plotImage(box){let{scene}=this;if(!scene)return;let{viewport,timeline,tones}=scene,{width,height}=pixelsOf(box),view={states:columnStates(viewport.
axis,timeline,viewport.from,viewport.to,width),height,bytesFrom:viewport.low,bytesTo:viewport.high,lines:!0};return this.plot.paint(tones,view,this.ms),image(this.
plot.element,box)}#planMinimap({timeline,viewport,plainTones,layout,hasHistory}){let{width}=pixelsOf({width:layout.plotWidth,height:MINIMAP}),of=[timeline,plainTones,
viewport.axis,width,devicePixelRatio];of.every((v,i)=>v===this.minimapOf[i])||(this.minimapOf=of,this.minimapDue=hasHistory,this.minimapStates=columnStates(viewport.
axis,timeline,0,viewport.axis.end,width))}#minimapImage(box){let{scene,ms,minimapStates:states}=this;if(scene?.hasHistory){if(this.minimapDue&&(ms===1/0||this.plot.
painted===0)){let{height}=pixelsOf(box),view={states,height,bytesFrom:0,bytesTo:scene.viewport.ceiling,lines:!1};this.minimap.paint(scene.plainTones,view,ms),this.
minimapDue=this.minimap.isCoarse}return image(this.minimap.element,box)}}};function pixelsOf({width,height}){let ratio=devicePixelRatio;return{width:Math.max(1,
Math.round(width*ratio)),height:Math.max(1,Math.round(height*ratio))}}var Canvas=class extends Picture{element=document.createElement("canvas");get image(){let width=this.
columns.length;return width>0?new ImageData(new Uint8ClampedArray(this.pixels.buffer),width):null}paint(tones,view,ms){super.paint(tones,view,ms);let{element,image:image2}=this;
image2&&(element.width!==image2.width&&(element.width=image2.width),element.height!==image2.height&&(element.height=image2.height),element.getContext("2d")?.putImageData(
image2,0,0))}};function image(canvas,{x,y,width,height}){return{type:"image",silent:!0,style:{image:canvas,x,y,width,height}}}var CROWDED=3,GAP=3;function drawGrid({pen,scales,ticks,layout,style}){for(let v of ticks.y){if(v<=0)continue;let y=Math.round(scales.y(v))+.5;pen.line(layout.left,
y,layout.right,y,{color:style.grid})}}function drawTop(frame){let{pen,scales,layout,timeline,columns,style}=frame,{g}=pen,step=layout.plotWidth/columns.length;g.
beginPath();for(let x=0;x<columns.length&&columns[x]>=0;x++){let left=layout.left+x*step,y=scales.y(timeline.active[columns[x]]);x===0?g.moveTo(left,y):g.lineTo(
left,y),g.lineTo(left+step,y)}pen.stroke(style.theme==="dark"?"#e9ebee99":"#15181c99",1)}function drawLowest({pen,scales,layout,timeline,viewport,columns,style}){
let{g}=pen,{axis,from,width}=viewport,step=layout.plotWidth/columns.length,perColumn=width/columns.length,down=!1,drawn=!1;g.beginPath();for(let x=0;x<columns.length&&
columns[x]>=0;x++){let covered=axis.states(from+perColumn*x,from+perColumn*(x+1));if(!covered||covered[1]-covered[0]+1<CROWDED){down=!1;continue}let low=timeline.
active[timeline.lowest.best(covered[0],covered[1])],y=scales.y(low);if(y-scales.y(timeline.active[columns[x]])<GAP){down=!1;continue}let left=layout.left+x*step;
down?g.lineTo(left,y):g.moveTo(left,y),g.lineTo(left+step,y),down=drawn=!0}drawn&&pen.stroke(style.theme==="dark"?"#14161aaa":"#15181c66",1,[2,2])}function drawReserved({
pen,scales,timeline,viewport,layout,style}){let{g}=pen,{axis}=viewport,{reserved,reservedFrom}=timeline,right=Math.min(layout.right,scales.x(axis.extent)),i=countUpTo(
reservedFrom,axis.stateAt(viewport.from))-1,y=scales.y(reserved[i]);g.beginPath(),g.moveTo(layout.left,y);let xOf=step=>scales.x(axis.begins(reservedFrom[step]));
for(i++;i<reserved.length&&xOf(i)<=right;){let x=xOf(i);g.lineTo(x,y);let low=1/0,high=0;do low=Math.min(low,reserved[i]),high=Math.max(high,reserved[i]),y=scales.
y(reserved[i++]);while(i<reserved.length&&Math.floor(xOf(i))===Math.floor(x));low<high&&(g.lineTo(x,scales.y(high)),g.lineTo(x,scales.y(low))),g.lineTo(x,y)}g.lineTo(
right,y),pen.stroke(style.ink2,1.25)}var PLACES2=[1,.2,.9,.8,.7,.6,.5,.4,.3];function labelReserved(frame){let{pen,scales,timeline,viewport,layout,style}=frame,
end=Math.min(layout.right,scales.x(viewport.axis.extent))-6,widest=pen.measure(`reserved ${bytes(timeline.reservedPeak)}`)+4,right=PLACES2.map(part=>Math.max(layout.
left+8+widest,layout.left+(end-layout.left)*part)).find(x=>isClear(frame,x-widest,x))??end,value=timeline.reservedAt(viewport.axis.stateAt(scales.position(right)-
1e-9)),y=scales.y(value);if(y<layout.top-12||y>layout.bottom)return;let above=y>=layout.top+4&&!isUnderCapacity(frame,y);pen.text(`reserved ${bytes(value)}`,right,
above?y-8:y+9,{align:"right",color:style.ink2,halo:!0})}function isUnderCapacity({scales,capacity},y){return capacity!==null&&Math.abs(y-8-scales.y(capacity.bytes))<
12}function isClear(frame,left,right){let{scales,timeline,viewport,markers}=frame,{axis}=viewport,from=axis.stateAt(scales.position(left)),to=axis.stateAt(scales.
position(right)),y=scales.y(timeline.reservedAt(to));if(Math.abs(y-scales.y(timeline.reservedAt(from)))>2||scales.y(timeline.active[timeline.highest.best(from,to)])<
y+(isUnderCapacity(frame,y)?18:2))return!1;let peakX=scales.x(axis.middle(timeline.peak));return!(peakX<left-75||peakX>right+75)&&Math.abs(y-scales.y(timeline.active[timeline.
peak]))<46?!1:!markers.some(m=>scales.x(axis.middle(m.state))>left-4&&scales.x(axis.middle(m.state))<right+4)}function crowd(timeline,columns){let state=columns[columns.length>>1]??-1;return state<0?0:timeline.live(state).length}function bandLabels(timeline,groups,columns,viewport,layout){
let perByte=layout.plotHeight/(viewport.high-viewport.low),step=crowd(timeline,columns)>4e4?54:27,runs=[],before=[];for(let x=27;x<layout.plotWidth-27;x+=step){
let state=columns[Math.min(columns.length-1,Math.round(x/layout.plotWidth*columns.length))];if(state<0)break;before=bandsOf(timeline,groups,state,viewport,17/perByte).
map(band=>{let left=before.find(b=>!b.continued&&b.group===band.group&&Math.min(b.high,band.high)-Math.max(b.low,band.low)>15/perByte),run=left?left.run:{group:band.
group,spots:[]};return left?left.continued=!0:runs.push(run),run.spots.push({x,low:band.low,high:band.high}),{...band,run,continued:!1}})}return bestSpots(runs,
perByte,viewport,step)}function bandsOf(timeline,groups,state,view,least){let bands=[],{size}=timeline.data,group=-1,low=0,offset=0,close=()=>{group>=0&&Math.min(
offset,view.high)-Math.max(low,view.low)>=least&&bands.push({group,low,high:offset})};for(let id of timeline.live(state))groups[id]!==group&&(close(),group=groups[id],
low=offset),offset+=size[id];return close(),bands}function bestSpots(runs,perByte,view,step){let wide=54/step,best=new Map;for(let{group,spots}of runs)for(let i=wide;i<
spots.length-wide;i++){let low=view.low,high=view.high;for(let j=i-wide;j<=i+wide;j++)low=Math.max(low,spots[j].low),high=Math.min(high,spots[j].high);let tall=(high-
low)*perByte;if(tall<17)continue;let score=Math.min(tall,60)+Math.min(i,spots.length-1-i,10)*4;score>(best.get(group)?.score??-1)&&best.set(group,{group,x:spots[i].
x,low,high,score})}return[...best.values()]}function drawCapacity({pen,scales,layout,style,capacity}){if(!capacity)return;let{left,top,right,bottom}=layout,y=Math.round(scales.y(capacity.bytes))+.5,label={
color:style.oom,halo:!0};if(!(y>bottom)){if(y<top-2){pen.text(`↑ ${capacity.text}`,left+8,top+8,label);return}pen.line(left,y,right,y,{color:style.oom,dash:[6,
3]}),pen.text(capacity.text,left+8,y-top>12?y-8:y+9,label)}}var CROWDED2=3,TICKED=6,STEPS_APART=5,FILLS={light:{annotated:["#e4e8ec","#eef0f2"],phase:["#f1f3f5","#e6e8ea","#d6d9dc","#c2c6cb"]},dark:{annotated:["#2b3139",
"#22272d"],phase:["#22262c","#2a2f36","#383e47","#48505b"]}};function drawLanes(frame){let{pen,layout,style}=frame,{left,plotWidth,lanes,lanesFolded}=layout;if(lanes.
length!==0){for(let row of lanes)pen.clip(left,row.top,plotWidth,row.height,()=>drawRow(frame,row)),row.label&&!lanesFolded&&pen.text(row.label,left-8,row.top+row.
height/2+.5,{align:"right",color:style.ink3});if(lanesFolded){let{top,height}=lanes[lanes.length-1];pen.text("▸ lanes",left-8,(lanes[0].top+top+height)/2,{align:"\
right",color:style.ink3})}drawSteps(frame)}}function drawRow({pen,scales,layout,viewport,style},{lane,top,height}){let{g}=pen,{left,lanesFolded,right}=layout,{axis}=viewport,
{kinds}=lane,fills=FILLS[style.theme].phase,[plain3,other]=FILLS[style.theme].annotated;for(let i=lane.after(axis,scales.position(left-2));i<lane.length;){let[a,
b]=lane.span(axis,i).map(scales.x,scales);if(a>right)break;let width=b-a;if(g.fillStyle=kinds?fills[kinds[i]]:i%2?other:plain3,width<CROWDED2){pen.fill(kinds?fills[2]:
style.strong,a,top,CROWDED2-1,height),i=Math.max(i+1,lane.after(axis,scales.position(a+CROWDED2-1),i));continue}if(g.fillRect(a,top,width-1,height),!lanesFolded){
let from=Math.max(left,a);!kinds&&a>=left&&width>=TICKED&&pen.fill(lane.isStep(i)?style.ink:style.ink3,a,top,lane.isStep(i)?1.5:1,height);let weight=lane.isStep(
i)?600:400,name=shortName(lane.names[i]),short=kinds?name[0].toUpperCase():/\d+$/.exec(name)?.[0]??"",text=fitted(pen,name,short,Math.min(right,b)-from-8,weight);
pen.text(text,from+5,top+height/2+.5,{color:kinds?style.ink:style.ink2,weight})}i++}}function fitted(pen,name,short,width,weight){if(width<6)return"";let whole=pen.
measure(name,weight);if(whole<=width)return name;let letters=Math.floor(width/whole*name.length)-1;return letters>=3&&letters>=name.length/3&&!/\d$/.test(name)?
name.slice(0,letters)+"…":pen.measure(short,weight)<=width?short:""}function drawSteps({pen,scales,layout,viewport,style,steps}){let{left,plotWidth,lanes,right}=layout,
{top}=lanes[0],{axis}=viewport,first=steps.at(axis.stateAt(viewport.from))+1,last=steps.at(axis.stateAt(viewport.to));if(!((last-first)*STEPS_APART>plotWidth))for(let i=first;i<=
last;i++){let x=Math.round(scales.x(axis.begins(steps.from[i])));x>left&&x<right&&pen.line(x,top-5,x,top,{color:style.ink2,width:2})}}function drawLaneHit(pen,layout,scales,{
lane,i}){let row=layout.lanes.find(r=>r.lane===lane);if(!row)return;let{left,plotWidth,bottom}=layout,{style,g}=pen,[a,b]=lane.span(scales.viewport.axis,i).map(
scales.x,scales);pen.clip(left,0,plotWidth+1,bottom,()=>{for(let x of[a,Math.max(b,a+CROWDED2)])pen.line(x,row.top+row.height,x,bottom,{color:style.ink3,dash:[1,
3]});g.beginPath(),g.rect(a+.5,row.top+.5,Math.max(b-a,CROWDED2)-1,row.height-1),pen.stroke(style.ink,1)})}function drawPeak({pen,scales,timeline,viewport,layout,style,markers}){let{left,top,right,bottom}=layout,{axis}=viewport,x=scales.x(axis.middle(timeline.peak)),
value=timeline.active[timeline.peak];if(x<left||x>right||markers.some(m=>m.kind==="oom"&&Math.abs(scales.x(axis.middle(m.state))-x)<14))return;let y=scales.y(value);
if(y>bottom)return;let line2=Math.round(x)+.5;if(pen.line(line2,Math.max(y,top),line2,bottom,{color:style.ink,dash:[3,3]}),y<top-2)return;pen.triangle(x,y-1,5,7,
style.ink);let reserved=scales.y(timeline.reservedAt(timeline.peak)),flag=Math.abs(y-18-reserved)<12?reserved-13:y-18;pen.flag(`peak ${bytes(value)}`,x,Math.max(
top-10,flag),{fill:style.paper,color:style.ink,border:style.strong,min:left,max:right})}function drawOOMs(frame){let{scales,layout,viewport,markers}=frame,free=-1/0;
for(let m of markers){if(m.kind!=="oom")continue;let x=scales.x(viewport.axis.middle(m.state));x<layout.left-1||x>layout.right+1||(free=drawOOM(frame,m,x,x>free))}}
function drawOOM({pen,scales,timeline,layout,style},m,x,named){let{g}=pen,{left,top,plotWidth,plotHeight,right,bottom}=layout;pen.line(x,top-2,x,bottom,{color:style.
oom,width:1.5});let reserved=timeline.reservedAt(m.state),near=y=>clamp(y,top-20,bottom+20),low=near(scales.y(reserved)),high=near(Math.min(scales.y(reserved+m.
size),low-5)),width=Math.max(26,Math.min(right-x-2,120));if(pen.clip(left,top-2,plotWidth,plotHeight+2,()=>{pen.clip(x,high,width,low-high,()=>{g.beginPath();for(let q=high-
low;q<width;q+=4)g.moveTo(x+q,low),g.lineTo(x+q+(low-high),high);pen.stroke(style.oom,1)}),g.beginPath(),g.rect(x,high,width,low-high),pen.stroke(style.oom,1.25)}),
!named)return x;let color=style.theme==="dark"?style.paper:"#ffffff";return pen.flag(`OOM: asked ${bytes(m.size)}`,x,top-12,{fill:style.oom,color,min:left,max:right})[1]}
function drawSnapshots({pen,scales,layout,viewport,markers,style}){let free=-1/0;for(let m of markers){if(m.kind!=="snapshot")continue;let x=scales.x(viewport.axis.
middle(m.state)),{left,top,right,bottom}=layout;if(x<left||x>right)continue;pen.line(x,top,x,bottom,{color:style.ink3,dash:[1,3]}),pen.line(x,top-5,x,top,{color:style.
ink3});let label="snapshot",width=pen.measure(label),atRight=x+width+4>right;x<free+6||(pen.text(label,atRight?x-4:x+4,top-6,{align:atRight?"right":"left",color:style.
ink3,halo:!0}),free=x+(atRight?0:width))}}function drawFoot({pen,scales,viewport,layout,style}){if(viewport.base<=0||viewport.low<=0)return;let{g}=pen,{left,plotWidth,
right,bottom}=layout,y=Math.min(bottom-12,(scales.y(viewport.base)+bottom)/2);pen.text(`↓ ${bytes(viewport.base)} below, unchanged in this view`,left+plotWidth/
2,y,{align:"center",weight:600,halo:!0}),g.beginPath(),g.moveTo(left,bottom-4);for(let x=left,notch=0;x<=right;x+=6,notch++)g.lineTo(x,bottom-(notch%2?1:4));pen.
stroke(style.paper,2)}var MOST_STATES=600,MOST_TENSORS=200,PITCH2=5,LEAST_WIDTH=3,LEAST_HEIGHT=5;function drawPending({pen,scales,layout,timeline,viewport,style}){let{g}=pen,{axis}=viewport,
{data}=timeline,covered=axis.states(viewport.from,viewport.to);if(!covered||covered[1]-covered[0]>MOST_STATES)return;let waiting=[];if(data.pendingAlloc.forEach(
(id,i)=>{let from=Math.max(covered[0],data.last[id]-data.pendingWait[i]+1),to=Math.min(covered[1],data.last[id]);from<=to&&waiting.push({id,from,to})}),waiting.
length===0||waiting.length>MOST_TENSORS)return;let areas=[];for(let{id,from,to}of waiting){let outline=new Outline(timeline,id),size=data.size[id];for(let k=from;k<=
to;k++){let x=scales.x(axis.begins(k)),right=k===timeline.lastState?scales.x(axis.extent):scales.x(axis.begins(k+1)),offset=outline.offset(k),y=scales.y(offset+
size),height=scales.y(offset)-y;right-x>=LEAST_WIDTH&&height>=LEAST_HEIGHT&&areas.push([x,y,right-x,height])}}let{left,top,plotWidth,plotHeight,bottom}=layout;pen.
clip(left,top,plotWidth,plotHeight,()=>{g.beginPath();for(let area of areas)g.rect(...area);g.clip(),g.beginPath();for(let x=-plotHeight;x<plotWidth;x+=PITCH2)g.
moveTo(left+x,bottom),g.lineTo(left+x+plotHeight,top);pen.stroke(style.theme==="dark"?"#000000aa":"#ffffffba",1.5)})}var DIM={light:"#ffffff99",dark:"#14161a99"},BAR=3,SENTENCE=440;function drawRange(frame){let{pen,scales,layout,viewport,style,range}=frame;if(!range)return;let{
g}=pen,{left,top,plotHeight,right,bottom}=layout,[a,b]=spanOf(viewport.axis,range.from,range.to).map(scales.x,scales),from=clamp(a,left,right),to=clamp(b,from,right);
g.fillStyle=DIM[style.theme],g.fillRect(left,top,from-left,plotHeight),g.fillRect(to,top,right-to,plotHeight);for(let edge of[a,b])if(edge>=left&&edge<=right+1){
let x=Math.min(edge,right-.75);pen.line(x,top-BAR,x,bottom,{color:style.ink,width:1.5})}to<=left||from>=right||(pen.fill(style.ink,from,top-BAR,Math.max(to-from,
2),BAR),pen.flag(rangeWords2(frame,range),(from+to)/2,top-BAR-9,{fill:style.ink,color:style.paper,min:left,max:right}),frame.alone&&drawSentence(frame,from))}function rangeWords2({
timeline,time},{from,to}){let words=`${change(timeline.active[to]-timeline.active[from])} over ${counted(to-from,"event")}`;return time?`${words}, ${duration(time[to-
1]-time[from])}`:words}function drawSentence({pen,layout,style,timeline},from){let x=clamp(from,layout.left,layout.right-SENTENCE)+10,y=layout.top+18,kept=timeline.
active[timeline.peak];pen.text(kept>0?`Alone: only the ${bytes(kept)} allocated in the range and still live at its end`:"Alone: nothing allocated in the range i\
s still live at its end",x,y,{weight:600,halo:!0}),pen.text("everything else is hidden and the height rescaled; Esc shows it",x,y+16,{color:style.ink2,halo:!0})}var CROWD=1e4;function drawMarks(canvas,scene){let{layout,style,hasHistory}=scene,pen=new Pen(freshContext(canvas,layout.width,layout.height),style),frame={...scene,
pen},{left,top,plotWidth,plotHeight,right,bottom}=layout;if(scene.patterns&&pen.g.drawImage(scene.patterns,left,top,plotWidth,plotHeight),drawGrid(frame),pen.clip(
left,top-4,plotWidth+1,plotHeight+4,()=>{drawTop(frame),hasHistory&&drawLowest(frame),scene.alone||drawReserved(frame)}),hasHistory&&drawPending(frame),drawNames(
frame),drawFoot(frame),hasHistory&&drawSnapshots(frame),drawRange(frame),scene.alone||drawCapacity(frame),scene.alone||labelReserved(frame),drawLanes(frame),hasHistory&&
(scene.alone||drawPeak(frame),drawOOMs(frame),drawMinimap(frame),pen.text(scene.viewport.axis.kind==="time"?"time":"event",right,bottom+14,{align:"right",color:style.
ink3})),scene.outline){let{outline}=scene;pen.clip(left,top,plotWidth,plotHeight,()=>drawOutline(frame,outline))}}function drawNames(frame){let{timeline,columns,
viewport,layout,scales,pen}=frame;if(!frame.faded&&!(frame.moving&&crowd(timeline,columns)>CROWD))for(let{of,groups}of frame.names){let labels=bandLabels(timeline,
of,columns,viewport,layout);for(let{group,x,low,high}of labels){let{label,short,ink}=groups[group];pen.text(short??label,layout.left+x,(scales.y(low)+scales.y(high))/
2+.5,{align:"center",weight:600,size:12,color:ink})}if(labels.length>0)break}}function drawMinimap({pen,scales,layout,viewport,timeline,minimap,markers,style}){
let{g}=pen,{left,plotWidth,minimapTop:top,right}=layout,{axis,from,to}=viewport;if(pen.text("all",left-8,top+MINIMAP/2,{align:"right",color:style.ink3}),g.strokeStyle=
style.strong,g.lineWidth=1,g.strokeRect(left-.5,top-.5,plotWidth+1,MINIMAP+1),drawMinimapCurve({pen,layout,viewport,timeline,minimap,style}),!viewport.isWhole){
let a=scales.minimapX(from),b=Math.max(scales.minimapX(to),a+3);g.fillStyle=style.theme==="dark"?"#14161ab3":"#ffffffb3",g.fillRect(left,top,a-left,MINIMAP),g.fillRect(
b,top,right-b,MINIMAP),g.strokeStyle=style.ink,g.lineWidth=1.5,g.strokeRect(a-.5,top-1.5,b-a+1,MINIMAP+3),g.fillStyle=style.ink;for(let edge of[a,b])g.beginPath(),
g.roundRect(edge-2.5,top+MINIMAP/2-8,5,16,2),g.fill()}pen.triangle(scales.minimapX(axis.middle(timeline.peak)),top+4,4,6,style.ink);for(let m of markers)m.kind===
"oom"&&pen.fill(style.oom,scales.minimapX(axis.middle(m.state))-1,top,2,MINIMAP)}function drawMinimapCurve({pen,layout,viewport,timeline,minimap,style}){let{g}=pen,
{left,plotWidth,minimapTop}=layout,step=plotWidth/minimap.length;g.beginPath();for(let x=0;x<minimap.length&&minimap[x]>=0;x++)g.lineTo(left+(x+.5)*step,minimapTop+
MINIMAP*(1-timeline.active[minimap[x]]/viewport.ceiling));pen.stroke(style.theme==="dark"?"#e9ebee80":"#15181c80",1)}function drawCursor(canvas,{layout,style,scales,
ticks,timeline,viewport,hasHistory},cursor,box,lane){let pen=new Pen(freshContext(canvas,layout.width,layout.height),style),{g}=pen,{left,top,right,bottom}=layout;
if(box){pen.fill(style.grid,box.x0,box.y0,box.x1-box.x0,box.y1-box.y0),g.strokeStyle=style.ink,g.setLineDash([4,3]),g.strokeRect(Math.round(box.x0)+.5,Math.round(
box.y0)+.5,box.x1-box.x0,box.y1-box.y0);return}if(lane&&drawLaneHit(pen,layout,scales,lane),!cursor||!hasHistory||cursor.x<left||cursor.x>right)return;let x=Math.
round(cursor.x)+.5,total2=timeline.active[cursor.state],y=scales.y(total2);g.globalAlpha=cursor.hovered?.7:1,pen.line(x,clamp(y,top,bottom),x,bottom,{color:style.
ink}),g.globalAlpha=1,g.fillStyle=style.paper;for(let v of ticks.x)Math.abs(scales.x(v)-x)<62&&g.fillRect(scales.x(v)-32,bottom+1.5,64,22);x>right-92&&g.fillRect(
right-34,bottom+5,36,18);let{axis}=viewport,flag={fill:style.ink,color:style.paper};if(pen.flag(axis.kind==="time"?duration(axis.begins(cursor.state)):count(cursor.
state),x,bottom+14,{...flag,min:left,max:right}),!(y<top||y>bottom)&&(g.beginPath(),g.arc(x,y,3,0,7),g.fillStyle=style.ink,g.fill(),pen.stroke(style.paper,1.5),
!!cursor.hovered)){g.fillStyle=style.paper;for(let v of ticks.y)Math.abs(scales.y(v)-y)<16&&g.fillRect(0,scales.y(v)-8,left-3,16);pen.flag(bytes(total2),left-30,
y,{...flag,min:1,max:left-1})}}var APART_X=130,APART_Y=92,NAME=64;function ticksOf(viewport,width,height){let{axis,from,to,low,high,base}=viewport,y=[],stepY=byteStep(high-low,Math.max(3,height/
APART_Y));for(let v=base>0?base:Math.ceil(low/stepY)*stepY;v<=high;v+=stepY)y.push(v);let x=[],stepX=decimalStep(to-from,Math.max(3,width/APART_X));for(let v=Math.
ceil(from/stepX)*stepX;v<=axis.extent&&!((v-from)/(to-from)*width>width-NAME);v+=stepX)x.push(v);return{x,y,labelX:v=>axis.kind==="time"?axisTime(v,to-from,stepX):
count(v),labelY:v=>base>0?v-base<1?bytes(base):axisChange(v-base):axisBytes(v,high,stepY)}}var MOVING_MS=8,STILL_MS2=24,LANE_SLACK=4,Stage=class{constructor(app,elements,echarts,options){this.app=app,this.elements=elements,this.patterns=new Patterns,this.
chart=new Chart(echarts,elements.chart,options),this.scales,this.ticks,this.box=null,this.dirty=0,this.requested=0,this.ms=STILL_MS2,app.on(["device","view","co\
lour","glance"],()=>this.invalidate(3)),app.on(["pin","range"],()=>this.invalidate(2)),app.on(["moment","hover","lane"],()=>this.invalidate(1)),app.on(["settled"],
()=>this.invalidate(2)),new ResizeObserver(()=>{let{clientWidth:width,clientHeight:height}=elements.timeline,drawn=this.scales?.layout;drawn&&(width!==drawn.width||
height!==drawn.height)&&this.drawNow()}).observe(elements.timeline)}invalidate(what){this.dirty=Math.max(this.dirty,what),this.requested||=requestAnimationFrame(
()=>{this.#frame(),!this.app.moving&&this.chart.isUnfinished&&this.invalidate(1)})}#frame(ms=this.app.moving?MOVING_MS:STILL_MS2){this.requested=0,this.ms=ms;let{
app,chart,dirty}=this;this.dirty=0;let finishing=dirty<3&&!app.moving&&chart.isUnfinished;(dirty>=3||finishing)&&this.#drawChart(ms),(dirty>=2||finishing&&chart.
plot.painted>0)&&this.#drawMarks(),this.#drawCursor()}drawNow(ms=1/0){this.app.moving=!1,this.dirty=3,cancelAnimationFrame(this.requested),this.#frame(ms)}#drawChart(ms){
let{app}=this,{timeline:element}=this.elements,layout=layoutOf(element.clientWidth,element.clientHeight,app.device.hasHistory,app.device.lanes,app.lanesFolded);
this.scales=new Scales(layout,app.viewport),this.ticks=ticksOf(app.viewport,layout.plotWidth,layout.plotHeight),this.chart.resize(layout),this.chart.draw({timeline:app.
shown,viewport:app.viewport,layout,ticks:this.ticks,tones:app.tones,plainTones:app.plainTones,hasHistory:app.device.hasHistory,style:app.style},ms)}drawOver(canvas){
this.#drawMarks(canvas),this.#drawCursor(canvas)}#drawMarks(canvas=this.elements.marks){let{app}=this;drawMarks(canvas,{...this.#scene(),columns:this.chart.columns,
minimap:this.chart.minimapStates,markers:app.device.data.markers,names:app.names,faded:app.lit!==null||app.glanced!==null,moving:app.moving||this.chart.plot.isCoarse,
outline:app.outline,range:app.range,alone:app.alone!==null,capacity:app.device.report.capacity,steps:app.device.lanes.steps,time:app.range&&app.device.data.time,
patterns:this.#patterns()})}#patterns(){let{app,chart,patterns}=this,view=chart.plot.shown?.view;return!app.patterns||app.moving||chart.plot.isCoarse||!view?null:
(patterns.paint(app.shown,app.grouping,view,this.ms),patterns.isUnfinished&&this.invalidate(2),patterns.element)}#drawCursor(canvas=this.elements.cursor){let{app}=this,
{hover}=app,cursor=hover?{x:hover.x,state:hover.state,hovered:!0}:app.moment==="cursor"?{x:this.scales.x(app.viewport.axis.middle(app.cursor)),state:app.cursor,
hovered:!1}:null;drawCursor(canvas,this.#scene(),cursor,this.box,app.lane)}#scene(){let{app}=this;return{layout:this.scales.layout,scales:this.scales,ticks:this.
ticks,style:app.style,timeline:app.shown,viewport:app.viewport,hasHistory:app.device.hasHistory}}at(x,y){let{scales,chart:{columns}}=this,{left,plotWidth}=scales.
layout;if(scales.part(x,y)!=="plot"||columns.length===0)return null;let column=Math.min(columns.length-1,Math.floor((x-left)/plotWidth*columns.length)),state=columns[column];
return state<0?null:{x,state,hit:this.app.shown.hit(state,scales.bytes(y))}}laneAt(x,y){let{scales}=this;if(scales.part(x,y)!=="lanes")return null;let row=scales.
layout.lanes.filter(r=>y>=r.top-2).at(-1);if(!row)return null;let slack=scales.position(x+LANE_SLACK)-scales.position(x),i=row.lane.at(this.app.viewport.axis,scales.
position(x),slack);return i<0?null:{lane:row.lane,i,x,y:row.top+row.height}}painted(){return new Promise(resolve=>{let late=setTimeout(resolve,250);requestAnimationFrame(
async()=>{await nextTask(),clearTimeout(late),resolve()})})}};function nextTask(){return new Promise(resolve=>{let{port1,port2}=new MessageChannel;port1.onmessage=
()=>resolve(),port2.postMessage(null)})}var FIRST_MS=30;function missingFeature(){try{new DecompressionStream("deflate-raw")}catch{return"DecompressionStream for deflate-raw"}return document.createElement(
"canvas").getContext("2d")?typeof ResizeObserver>"u"?"ResizeObserver":window.echarts?null:"the chart library":"the 2D canvas"}function keepSummary(why){byId("su\
mmary").hidden=!1;let notice=byId("notice");notice.textContent=why,notice.hidden=!1,document.documentElement.classList.remove("scripted")}function build(report){
let app=new App(report,new Library(report,document)),timeline=byId("timeline"),cursor=byId("cursor"),stage=new Stage(app,{timeline,chart:byId("chart"),marks:byId(
"marks"),cursor},window.echarts,JSON.parse(byId("memviz-chart").textContent??"")),hash=new Hash(app),history2=new ViewHistory(app),theme=new Theme(app),forced=new URLSearchParams(
location.hash.slice(1)).get("theme");(forced==="light"||forced==="dark")&&theme.force(forced);let list=byId("keys"),guide=byId("guide");mountHeader(app,{file:byId(
"file"),device:byId("device"),facts:byId("facts"),verdict:byId("verdict"),warnings:byId("warnings")}),mountAnswers(app,byId("answers")),mountToolbar(app,history2,
byId("toolbar"));let find2=new FindBox(app,byId("find")),exports=new Exports(app,stage,byId("export"));mountPanel(app,byId("moment"));let table=new Table(app,byId(
"table"));mountIcicle(app,byId("icicle"));let pinned=new PinnedPanel(app,byId("pinned"),byId("side"));mountTooltip(app,byId("tooltip"),timeline),mountLaneTip(app,
timeline),mountStatus(app,byId("where"),byId("scale"),()=>stage.scales?.layout.plotWidth??1),mountKeys({app,exports,history:history2,find:find2,pinned,table,theme,
list,guide,spoken:byId("spoken")}),new Pointer(app,stage,cursor),app.on(["settled"],()=>cursor.setAttribute("aria-label",describePlot(app))),byId("show-guide").
addEventListener("click",()=>{guide.hidden=!guide.hidden}),byId("close-guide").addEventListener("click",()=>{guide.hidden=!0});for(let id of["show-keys","show-k\
eys-too"])byId(id).addEventListener("click",()=>list.showModal());byId("theme").addEventListener("click",()=>theme.cycle());let patterns=!1;for(let event of["be\
foreprint","afterprint"])addEventListener(event,()=>{app.device&&(event==="beforeprint"&&(patterns=app.patterns),setPatterns(app,event==="beforeprint"||patterns),
stage.drawNow())});return{app,stage,hash,history:history2}}function describePlot(app){let{timeline,report,data}=app.device,{viewport,grouping}=app,sums=heldBy(grouping,
data.size,timeline.live(timeline.peak)).map(sum=>sum.bytes),most=grouping.groups[sums.indexOf(Math.max(...sums))]?.label??"nothing",covered=viewport.axis.states(
viewport.from,viewport.to)??[0,0];return`Stacked memory timeline of ${report.label}: peak ${bytes(timeline.active[timeline.peak])} in state ${count(timeline.peak)}\
, most of it ${most}; showing states ${count(covered[0])} to ${count(covered[1])}${report.capacity?`; ${report.capacity.text}`:""}`}async function showFirst(app,stage,hash,history2){
let viewer=byId("viewer"),{file,device}=hash.device();viewer.classList.add("measuring"),viewer.hidden=!1,await app.open(file,device),hash.apply(),history2.keep(),
stage.drawNow(FIRST_MS),viewer.classList.remove("measuring"),byId("summary").hidden=!0,await stage.painted()}async function showRest(app){await nextTask(),app.settle()}
async function showEmpty(report){byId("file").textContent=report.files[0]?.name??"";for(let id of["device","answers","toolbar","side","chart","marks","cursor","\
status"])byId(id).hidden=!0;byId("empty").hidden=byId("viewer").hidden=!1,byId("summary").hidden=!0}async function start(){let missing=missingFeature();if(missing){
keepSummary(`This browser lacks ${missing}, which the interactive timeline needs. Below is the summary written with the file.`);return}try{let report=parseReport(
byId("memviz-report").textContent??""),{app,stage,hash,history:history2}=build(report),empty=report.files.every(f=>f.devices.length===0),shown=empty?showEmpty(report):
showFirst(app,stage,hash,history2);window.memviz=consoleApi(app,stage,shown),await shown,empty||await showRest(app),document.documentElement.dataset.ready="true"}catch(error){
throw byId("viewer").hidden=!0,keepSummary(`The interactive timeline could not start: ${error instanceof Error?error.message:error}. Below is the summary writte\
n with the file.`),error}}start();})();
