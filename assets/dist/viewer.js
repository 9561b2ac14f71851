"use strict";(()=>{function consoleApi(app,stage,ready){let known=k=>{if(!Number.isInteger(k)||k<0||k>app.device.timeline.lastState)throw new RangeError(`there is no state ${k}`);
return k};return{ready,devices:()=>app.report.files.flatMap((file,f)=>file.devices.map(d=>({file:f,device:d.device,events:d.events,allocations:d.allocations}))),
async select(choice){let file=typeof choice=="number"?app.device?.fileIndex??0:choice.file,ordinal=typeof choice=="number"?choice:choice.device,position=app.report.
files[file]?.devices.findIndex(d=>d.device===ordinal)??-1;if(position<0)throw new RangeError(`there is no device ${ordinal} in file ${file}`);await app.open(file,
position),stage.drawNow(),app.settle(),await stage.painted()},state:k=>{let{timeline}=app.device;return{active_bytes:timeline.active[known(k)],reserved_bytes:timeline.
reservedAt(k),allocations:timeline.live(k).length}},live:k=>{let offset=0;return app.device.data.address.prepare(),Array.from(app.device.timeline.live(known(k)),
id=>{let entry=describe(app,id,offset);return offset+=entry.size,entry})},async view({from,to}){let began=performance.now(),{axis}=app.viewport;if(!(from>=0&&to>
from))throw new RangeError("view needs from < to");return app.viewport.show(axis.begins(Math.min(from,app.device.timeline.lastState)),to>app.device.timeline.lastState?
axis.extent:axis.begins(to)),stage.drawNow(),await stage.painted(),{ms:performance.now()-began}},at:(x,y)=>{let box=stage.elements.timeline.getBoundingClientRect(),
found=stage.at(x-box.left,y-box.top);return found?.hit?{state:found.state,...describe(app,found.hit.id,found.hit.offset)}:null},geometry:()=>{let box=stage.elements.
timeline.getBoundingClientRect(),{layout}=stage.scales,{viewport}=app;return{left:box.left+layout.left,top:box.top+layout.top,width:layout.plotWidth,height:layout.
plotHeight,from:viewport.from,to:viewport.to,axis:viewport.axis.kind,bytes_from:viewport.low,bytes_to:viewport.high,ratio:stage.chart.columns.length/layout.plotWidth,
columns:Int32Array.from(stage.chart.columns)}},pixels:()=>{let{image:image2}=stage.chart.plot;return image2&&{width:image2.width,height:image2.height,data:image2.
data}}}}function describe(app,id,offset){let{data,stacks}=app.device;return{id,addr:data.address.text(id),size:data.size[id],start:data.startEvent(id),end:data.
endEvent(id),offset,stack:stacks.frames(data.stack[id]).map(f=>`${f.file}:${f.line}:${f.name}`)}}var CLASSES=[1048576,16777216,67108864,268435456,1073741824],CLASS_LABELS=["under 1 MiB","1 to 16 MiB","16 to 64 MiB","64 to 256 MiB","256 MiB to 1 GiB","1 GiB \
and more"],CLASS_COLORS={light:["#c3e2ff","#a3c1df","#84a2bf","#67839f","#4b6681","#304a64"],dark:["#203a53","#38526c","#506c87","#6a86a2","#84a2bf","#a0bedc"]};
function byFamily(data,stacks,report,theme){let palette=report.palette[theme],hue=report.families.map(f=>Math.min(palette.length-1,f.hue)),{count:count2,family,
stack}=data,of=new Uint8Array(count2),tones=new Uint8Array(count2),present=new Uint8Array(hue.length),shade=Uint8Array.from(stacks.shade,(s,i)=>i===0?2:Math.min(
4,s));for(let i=0;i<count2;i++){let f=Math.min(hue.length-1,family[i]);of[i]=f,present[f]=1,tones[i]=hue[f]*5+(shade[stack[i]]??2)}return{mode:"family",of,present,
tones,colors:palette.flatMap(h2=>h2.shades),groups:report.families.map((f,i)=>({label:f.label,one:f.one,name:f.key,color:palette[hue[i]].color,ink:palette[hue[i]].
ink}))}}function bySize(data,theme){let colors=CLASS_COLORS[theme],top=CLASSES.length,{count:count2,size}=data,of=new Uint8Array(count2),present=new Uint8Array(
top+1);for(let i=0;i<count2;i++){let c=0;for(;c<top&&size[i]>=CLASSES[c];)c++;of[i]=top-c,present[top-c]=1}let groups=CLASS_LABELS.map((label,c)=>({label,one:"t\
ensor",name:String(c),color:colors[c],ink:isLight(colors[c])?"#0f1216":"#ffffff"})).reverse();return{mode:"size",of,present,tones:of,colors:[...colors].reverse(),
groups}}function isLight(color){let[r,g,b]=[1,3,5].map(i=>(parseInt(color.slice(i,i+2),16)/255)**2.2);return .2126*r+.7152*g+.0722*b>.19}function fadeOthers(grouping,isolated){
if(isolated.size===0)return grouping.tones;let{of,tones,colors,groups}=grouping,shift=groups.map((_,group)=>isolated.has(group)?0:colors.length),out=new Uint8Array(
tones.length);for(let i=0;i<out.length;i++)out[i]=tones[i]+shift[of[i]];return out}function readStyle(){let computed=getComputedStyle(document.documentElement),token=name=>computed.getPropertyValue(name).trim();return{theme:document.documentElement.
dataset.theme==="dark"?"dark":"light",font:token("--sans"),paper:token("--bg"),ink:token("--ink"),ink2:token("--ink2"),ink3:token("--ink3"),strong:token("--stro\
ng"),grid:token("--grid"),oom:token("--oom"),halo:token("--halo"),select:token("--select")}}var Pen=class{constructor(g,style){this.g=g,this.style=style}text(text,x,y,{
align="left",color=this.style.ink,weight=400,size=11,halo=!1}={}){let{g}=this;g.font=`${weight} ${size}px ${this.style.font}`,g.textAlign=align,g.textBaseline="\
middle",halo&&(g.lineWidth=3,g.lineJoin="round",g.strokeStyle=this.style.paper,g.strokeText(text,x,y)),g.fillStyle=color,g.fillText(text,x,y)}measure(text,weight=400){
return this.g.font=`${weight} 11px ${this.style.font}`,this.g.measureText(text).width}flag(text,x,y,{fill,color,border,min,max}){let{g}=this,width=this.measure(
text,600)+10,left=Math.round(Math.min(Math.max(min,x-width/2),max-width));return g.beginPath(),g.roundRect(left+.5,Math.round(y)-8.5,width,17,3),g.fillStyle=fill,
g.fill(),border&&(g.lineWidth=1,g.strokeStyle=border,g.stroke()),this.text(text,left+5.5,Math.round(y)+.5,{color,weight:600}),[left,left+width]}line(x0,y0,x1,y1,{
color,width=1,dash=[]}){this.g.beginPath(),this.g.moveTo(x0,y0),this.g.lineTo(x1,y1),this.stroke(color,width,dash)}stroke(color,width,dash=[]){let{g}=this;g.strokeStyle=
color,g.lineWidth=width,g.setLineDash(dash),g.stroke(),g.setLineDash([])}triangle(x,y,half,height,color){let{g}=this;g.beginPath(),g.moveTo(x,y),g.lineTo(x-half,
y-height),g.lineTo(x+half,y-height),g.closePath(),g.fillStyle=color,g.fill()}clip(x,y,width,height,draw){let{g}=this;g.save(),g.beginPath(),g.rect(x,y,width,height),
g.clip(),draw(),g.restore()}};function freshContext(canvas,width,height){let ratio=devicePixelRatio,w=Math.round(width*ratio),h2=Math.round(height*ratio);(canvas.
width!==w||canvas.height!==h2)&&(canvas.width=w,canvas.height=h2,canvas.style.width=`${width}px`,canvas.style.height=`${height}px`);let g=canvas.getContext("2d");
return g.setTransform(ratio,0,0,ratio,0,0),g.clearRect(0,0,width,height),g}var Outline=class{constructor(timeline,id){this.timeline=timeline,this.id=id;let{data}=timeline,first=data.first[id],below=timeline.live(first).filter(i=>i<id);
this.going=below.sort((a,b)=>data.last[a]-data.last[b]);let sum=0;this.bytesBefore=Float64Array.from({length:below.length+1},(_,i)=>i===0?0:sum+=data.size[this.
going[i-1]])}offset(k){let{last}=this.timeline.data,low=0,high=this.going.length;for(;low<high;){let middle=low+high>>1;last[this.going[middle]]<k?low=middle+1:
high=middle}return this.bytesBefore[this.going.length]-this.bytesBefore[low]}isLive(k){let{first,last}=this.timeline.data;return first[this.id]<=k&&k<=last[this.
id]}};function drawOutline({pen,scales,layout,columns,timeline,style},outline){let{g}=pen,step=layout.plotWidth/columns.length,size=timeline.data.size[outline.id],
from=columns.findIndex(k=>outline.isLive(k));if(from<0)return;let to=from;for(;to<columns.length&&columns[to]>=0&&outline.isLive(columns[to]);)to++;let lows=Array.
from(columns.subarray(from,to),k=>outline.offset(k));g.beginPath();for(let x=from;x<to;x++){let y=scales.y(lows[x-from]+size);g.lineTo(layout.left+x*step,y),g.lineTo(
layout.left+(x+1)*step,y)}for(let x=to-1;x>=from;x--){let y=scales.y(lows[x-from]);g.lineTo(layout.left+(x+1)*step,y),g.lineTo(layout.left+x*step,y)}g.closePath(),
g.lineJoin="round",pen.stroke(style.halo,4),pen.stroke(style.select,1.75)}var LINE={light:.86,dark:.84},Tones=class{constructor(theme,paper,colors,of){this.of=of,this.faded=colors.length;let background=channels(paper);this.paper=pixel(
background),this.paperChannels=background;let n=colors.length*2;this.red=new Float64Array(n),this.green=new Float64Array(n),this.blue=new Float64Array(n),this.fill=
new Uint32Array(n),this.line=new Uint32Array(n),colors.forEach((color,tone)=>{let rgb=channels(color);this.#set(tone,rgb,LINE[theme]),this.#set(tone+this.faded,
fade(rgb,background),LINE[theme])})}#set(tone,rgb,line2){[this.red[tone],this.green[tone],this.blue[tone]]=rgb,this.fill[tone]=pixel(rgb),this.line[tone]=pixel(
rgb.map(c=>Math.round(c*line2)))}};function channels(color){return[1,3,5].map(i=>parseInt(color.slice(i,i+2),16))}function pixel([r,g,b]){return(255<<24|b<<16|g<<
8|r)>>>0}function fade(rgb,paper){let grey=.35*rgb[0]+.5*rgb[1]+.15*rgb[2];return rgb.map((c,i)=>{let dull=c*.35+grey*.65;return Math.round(paper[i]+(dull-paper[i])*
.17)})}function countUpTo(column,v,from=0){let step=1,low=from;for(;low+step<=column.length&&column[low+step-1]<=v;)low+=step,step*=2;let high=Math.min(column.length,low+
step-1);for(;low<high;){let middle=low+high>>1;column[middle]<=v?low=middle+1:high=middle}return low}function countBelow(column,v){let low=0,high=column.length;
for(;low<high;){let middle=low+high>>1;column[middle]<v?low=middle+1:high=middle}return low}var AIR=1.03,EventAxis=class{kind="events";least=12;constructor(lastState,air){this.lastState=lastState,this.extent=lastState+1,this.end=this.extent*(air?AIR:1),
this.least=Math.min(12,this.extent)}begins(k){return k}middle(k){return k+.5}stateAt(x){return Math.max(0,Math.min(this.lastState,Math.floor(x)))}states(from,to){
if(from>=this.extent)return null;let a=Math.max(0,Math.floor(from));return[a,Math.max(a,Math.min(this.lastState,Math.ceil(to)-1))]}},TimeAxis=class{kind="time";constructor(time,air){
this.lastState=time.length,this.start=new Float64Array(time.length+1);for(let k=1;k<this.start.length;k++)this.start[k]=Math.max(this.start[k-1],time[k-1]);this.
extent=this.start[this.lastState],this.end=this.extent*(air?AIR:1),this.least=Math.min(20,this.extent)}begins(k){return this.start[k]}middle(k){return this.start[k]}stateAt(x){
return Math.max(0,countUpTo(this.start,x)-1)}states(from,to){if(from>=this.extent&&from>0)return null;let a=countBelow(this.start,from);this.start[a]>from&&a--;
let b=to>=this.extent?this.lastState:countBelow(this.start,to)-1;return a=Math.max(0,a),[a,Math.max(a,b)]}};function columnStates(axis,timeline,from,to,columns){
let out=new Int32Array(columns),step=(to-from)/columns;for(let x=0;x<columns;x++){let covered=axis.states(from+step*x,from+step*(x+1));out[x]=covered?timeline.highest.
best(covered[0],covered[1]):-1}return out}var Viewport=class{constructor(axis,timeline,ceiling){this.axis=axis,this.timeline=timeline,this.ceiling=Math.max(1,ceiling*1.045),this.from=0,this.to=axis.end,
this.mode="auto",this.low=0,this.high=this.ceiling,this.base=0,this.changed=()=>{}}get width(){return this.to-this.from}get isWhole(){return this.from<=0&&this.
to>=this.axis.end}get isFitted(){return this.base>0}get view(){return{from:this.from,to:this.to,mode:this.mode,low:this.low,high:this.high}}restore(view){this.mode=
view.mode,this.low=view.low,this.high=view.high,this.show(view.from,view.to)}changeAxis(axis){let whole=this.isWhole,from=this.axis.stateAt(this.from),to=this.axis.
stateAt(this.to);this.axis=axis,whole?this.show(0,axis.end):this.show(axis.begins(from),axis.begins(to))}show(from,to){let{end,least}=this.axis,width=Math.max(least,
Math.min(end,to-from)),middle=(from+to)/2;this.from=Math.max(0,Math.min(end-width,to-from<least?middle-width/2:from)),this.to=this.from+width,this.#settleHeight(),
this.changed()}whole(){this.mode="auto",this.show(0,this.axis.end)}pan(d){let width=this.width,from=Math.max(0,Math.min(this.axis.end-width,this.from+d));from!==
this.from&&this.show(from,from+width)}zoom(factor,at){let width=Math.max(this.axis.least,Math.min(this.axis.end,this.width*factor)),from=at-(at-this.from)/this.
width*width,kept=Math.max(0,Math.min(this.axis.end-width,from));this.show(kept,kept+width)}setBytes(low,high){this.mode="free";let height=Math.max(16,Math.min(this.
ceiling,high-low));this.low=Math.max(0,Math.min(this.ceiling-height,low)),this.high=this.low+height,this.show(this.from,this.to)}zoomBytes(factor,at){let low=at-
(at-this.low)*factor;this.setBytes(low,low+(this.high-this.low)*factor)}panBytes(d){this.setBytes(this.low+d,this.high+d)}toggleFit(){this.isFitted||this.mode===
"fit"?this.setBytes(0,this.ceiling):(this.mode="fit",this.show(this.from,this.to))}#settleHeight(){if(this.base=0,this.mode==="free")return;this.low=0,this.high=
this.ceiling;let covered=this.axis.states(this.from,this.to);if(!covered||this.mode==="auto"&&covered[1]-covered[0]>=2e3)return;let{timeline}=this,top=timeline.
active[timeline.highest.best(covered[0],covered[1])],base=timeline.unchangedBelow(covered[0],covered[1]);base>=top||this.mode==="auto"&&(this.isWhole||base<this.
ceiling/2)||(this.base=base,this.low=Math.max(0,base-(top-base)*.12),this.high=top+(top-this.low)*.08)}};var LAST_PART=.97,STILL_MS=120,App=class{constructor(report,library){this.report=report,this.library=library,this.device,this.viewport,this.grouping,this.tones,
this.plainTones,this.style=readStyle(),this.colourMode="family",this.defaultColourMode="family",this.moment="peak",this.cursor=0,this.pinned=null,this.outline=null,
this.isolated=new Set,this.hover=null,this.moving=!1,this.listeners=new Map,this.stillTimer=0,this.opening=0,this.waiting=null}on(topics,listener){for(let topic of topics)
this.listeners.set(topic,[...this.listeners.get(topic)??[],listener])}onBeside(topics,listener){this.on(topics,()=>{this.waiting?this.waiting.add(listener):listener()})}emit(topic){
for(let listener of this.listeners.get(topic)??[])listener()}async open(fileIndex,deviceIndex){let turn=++this.opening,device=await this.library.open(fileIndex,
deviceIndex);if(turn!==this.opening)return;this.device=device,this.moment=device.hasHistory?"peak":"end",this.cursor=device.timeline.peak,this.pinned=this.outline=
this.hover=null,this.isolated=new Set;let{data,report}=device,bare=!device.hasHistory&&report.with_stack<data.count*.1;this.colourMode=this.defaultColourMode=bare?
"size":"family",this.#regroup(),this.viewport=new Viewport(this.#axis("events"),device.timeline,this.#ceiling()),this.viewport.changed=()=>this.#moved(),this.waiting=
new Set,this.emit("device")}get ooms(){return this.device.data.markers.filter(m=>m.kind==="oom")}get momentState(){let{timeline}=this.device;return this.moment===
"peak"?timeline.peak:this.moment==="end"?timeline.lastState:this.cursor}setAxis(kind){kind===this.viewport.axis.kind||kind==="time"&&!this.device.hasTime||this.
viewport.changeAxis(this.#axis(kind))}setMoment(moment,state){this.moment=moment,state!==void 0&&(this.cursor=Math.max(0,Math.min(this.device.timeline.lastState,
state))),this.emit("moment")}pin(id){let known=id!==null&&id>=0&&id<this.device.data.count;this.pinned=known?id:null,this.outline=known?new Outline(this.device.
timeline,id):null,this.emit("pin")}setHover(hover){!hover&&!this.hover||(this.hover=hover,this.emit("hover"))}isolate(group,add){let only=this.isolated.size===1&&
this.isolated.has(group),next=new Set(add?this.isolated:[]);add&&next.has(group)?next.delete(group):only||next.add(group),this.setIsolated(next)}setIsolated(groups){
this.isolated=groups,this.#retone(),this.emit("colour")}setColourMode(mode){this.colourMode=mode,this.isolated=new Set,this.#regroup(),this.emit("colour")}themeChanged(){
this.style=readStyle(),this.device&&(this.#regroup(),this.emit("theme"),this.emit("colour"))}showEvidence({from,to,state,allocation}){let{timeline,hasHistory}=this.
device,{axis}=this.viewport;from<to?this.viewport.show(axis.begins(from),to===timeline.lastState?axis.extent:axis.begins(to)):this.viewport.whole(),!hasHistory||
state===timeline.lastState?this.setMoment("end"):state===timeline.peak?this.setMoment("peak"):this.setMoment("cursor",state),this.pin(allocation<0?null:allocation)}showOOM(){
let oom=this.ooms.at(-1);if(!oom)return;let{axis}=this.viewport,{lastState}=this.device.timeline,states=Math.max(600,Math.round(lastState*.08)),x=axis.begins(oom.
state),from=axis.begins(Math.max(0,oom.state-states));this.viewport.mode="auto",this.viewport.show(from,Math.min(axis.end,x+Math.max((x-from)*.06,1))),this.setMoment(
"cursor",oom.state)}showLife(id){let{data,timeline}=this.device,{axis}=this.viewport,from=axis.begins(data.first[id]),to=data.last[id]===timeline.lastState?axis.
extent:axis.begins(data.last[id]+1),air=Math.max((to-from)*.08,axis.kind==="events"?2:1);this.viewport.show(Math.max(0,from-air),Math.min(axis.end,to+air))}escape(){
if(this.pinned!==null)this.pin(null);else if(this.isolated.size>0)this.setIsolated(new Set);else return!1;return!0}#moved(){this.moving=!0,this.emit("view"),clearTimeout(
this.stillTimer),this.waiting||(this.stillTimer=setTimeout(()=>this.settle(),STILL_MS))}settle(){clearTimeout(this.stillTimer),this.moving=!1,this.emit("settled");
let{waiting}=this;this.waiting=null;for(let listener of waiting??[])listener()}#regroup(){let{device,style,report}=this;this.grouping=this.colourMode==="size"?bySize(
device.data,style.theme):byFamily(device.data,device.stacks,report,style.theme),this.#retone()}#retone(){let{grouping,style,isolated}=this;this.plainTones=new Tones(
style.theme,style.paper,grouping.colors,grouping.tones),this.tones=isolated.size===0?this.plainTones:new Tones(style.theme,style.paper,grouping.colors,fadeOthers(
grouping,isolated))}#axis(kind){let{data,timeline}=this.device,air=data.markers.some(m=>m.kind==="oom"&&m.state>timeline.lastState*LAST_PART);return kind==="tim\
e"&&data.time?new TimeAxis(data.time,air):new EventAxis(timeline.lastState,air)}#ceiling(){let{timeline}=this.device,recorded=Math.max(timeline.active[timeline.
peak],timeline.reservedPeak),ghosts=this.ooms.map(m=>Math.min(timeline.reservedAt(m.state)+m.size,recorded*1.25));return Math.max(recorded,...ghosts)}};var UNITS=["B","KiB","MiB","GiB","TiB","PiB","EiB"],grouped=new Intl.NumberFormat("en-US",{maximumFractionDigits:0});function count(n){return grouped.format(n)}
function counted(n,one){return`${count(n)} ${one}${n===1?"":"s"}`}function three(v){return v>=99.95?v.toFixed(0):v>=9.995?v.toFixed(1):v.toFixed(2)}function bytes(n){
if(n===0)return"0";let v=Math.abs(n),unit=0;for(;v>=1023.5&&unit<UNITS.length-1;)v/=1024,unit++;return(n<0?"−":"")+(unit===0?v.toFixed(0):three(v))+" "+UNITS[unit]}
function exactBytes(n){return count(n)+" B"}function share(part,whole){if(!(whole>0))return"";let percent=part/whole*100;return(percent===100?"100":percent>=99.5?"99":percent>=1?percent.toFixed(0):percent>
0?"<1":"0")+" %"}function duration(us){return us<999.5?us.toFixed(0)+" µs":us<999500?three(us/1e3)+" ms":three(us/1e6)+" s"}function byteStep(range,n){let step=2**
Math.max(0,Math.floor(Math.log2(range/n)));for(;range/step>n*1.3;)step*=2;return step}function axisBytes(v,top,step){if(v===0)return"0";let named=Math.max(0,Math.
min(UNITS.length-1,Math.floor(Math.log2(Math.max(1,top)/.9)/10))),unit=named>0&&step<1024**named/4?named-1:named;return String(Number((v/1024**unit).toFixed(3)))+
" "+UNITS[unit]}function axisChange(d){let[value,unit]=bytes(d).split(" ");return"+"+Number(value)+" "+unit}function decimalStep(range,n){let power=10**Math.
floor(Math.log10(Math.max(1,range/n)));for(let m of[1,2,5])if(range/(power*m)<=n)return Math.max(1,power*m);return power*10}function axisTime(us,range,step){let[
unit,name]=range>2e6?[1e6,"s"]:range>2e3?[1e3,"ms"]:[1,"µs"],digits=Math.max(0,Math.min(3,Math.ceil(-Math.log10(step/unit)-1e-9)));return(unit===1?count(us):(us/
unit).toFixed(digits))+" "+name}var ALPHABET="ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";function fromBase64(text){let native=Uint8Array.fromBase64;return native?native.
call(Uint8Array,text):decodeBase64(text.trim())}function decodeBase64(text){if(text.length%4!==0)throw new Error("base64 text is cut off");let value=new Uint8Array(
256).fill(255);for(let i=0;i<64;i++)value[ALPHABET.charCodeAt(i)]=i;let padding=text.endsWith("==")?2:text.endsWith("=")?1:0,out=new Uint8Array(text.length/4*3-
padding),last=text.length-padding,bits=0,held=0,o=0;for(let i=0;i<last;i++){let v=value[text.charCodeAt(i)&255];if(v===255)throw new Error(`not a base64 charact\
er at ${i}`);held=(held<<6|v)&65535,bits+=6,bits>=8&&(bits-=8,out[o++]=held>>bits)}return out}async function inflate(packed,size){let stream=new DecompressionStream(
"deflate-raw"),writer=stream.writable.getWriter();writer.write(packed).catch(()=>{}),writer.close().catch(()=>{});let out=new Uint8Array(size),reader=stream.readable.
getReader(),filled=0;for(;;){let{done,value}=await reader.read();if(done)break;if(filled+value.length>size)throw new Error(`payload is longer than its ${size} b\
ytes`);out.set(value,filled),filled+=value.length}if(filled!==size)throw new Error(`payload has ${filled} of its ${size} bytes`);return out}async function payload(element){
if(!(element instanceof HTMLElement))throw new Error("a payload is missing");let size=Number(element.dataset.bytes);if(!Number.isSafeInteger(size)||size<0)throw new Error(
"a payload does not say its size");return inflate(fromBase64((element.textContent??"").trim()),size)}function addressesOf(r,{has_addr,wide_addr,base_addr},size){let difference=r.signed(),high=r.unsigned(),low=r.unsigned();if(!has_addr)return{text:()=>"",prepare:()=>{}};
if((wide_addr?Math.min(high.length,low.length):difference.length)!==size.length)throw new Error("the payload does not fit the report: addresses");return wide_addr?
new WideAddresses(high,low):new NearAddresses(base_addr,difference,size)}var NearAddresses=class{constructor(base,difference,size){this.base=BigInt(base.startsWith(
"0x")?base:"0x"+base),this.difference=difference,this.size=size,this.sums=null}prepare(){this.sums??=sumsBySize(this.difference.values,this.size)}text(i){let offset=this.
sums?this.sums[i]:this.#sum(i);return"0x"+(this.base+BigInt(offset)).toString(16)}#sum(i){let{difference:{values},size}=this,own=size[i],sum=0;for(let j=0;j<=i;j++)
size[j]===own&&(sum+=values[j]);return sum}};function sumsBySize(values,size){let sums=new Float64Array(values.length),last=new Map;for(let i=0;i<sums.length;i++)
sums[i]=values[i]+(last.get(size[i])??0),last.set(size[i],sums[i]);return sums}var WideAddresses=class{constructor(high,low){this.high=high,this.low=low}prepare(){}text(i){
return"0x"+(BigInt(this.high.values[i]??0)<<32n|BigInt(this.low.values[i]??0)).toString(16)}};var Strings=class{constructor(text,ends){this.text=text,this.ends=ends,this.decoded=[],this.decoder=new TextDecoder}get length(){return this.ends.length-1}at(i){
return i>=0&&i<this.length?this.decoded[i]??=this.decoder.decode(this.text.subarray(this.ends[i],this.ends[i+1])):""}};var LONGEST=9,GOES_ON=2155905152,ColumnReader=class{constructor(bytes2){this.bytes=bytes2,this.view=new DataView(bytes2.buffer,bytes2.byteOffset,bytes2.length),
this.at=0}unsigned(){return this.#column(UNSIGNED)}ascending(){return this.#column(UNSIGNED,summing())}signed(){return this.#column(SIGNED,unzigzag)}signedSums(){
return this.#column(SIGNED,unzigzag,summing())}strings(){let lengths=this.unsigned().values,n=lengths.length,ends=new Float64Array(n+1);for(let i=0;i<n;i++)ends[i+
1]=ends[i]+lengths[i];if(ends[n]>this.bytes.length-this.at)throw new RangeError("payload ends inside a string");let text=this.bytes.subarray(this.at,this.at+ends[n]);
return this.at+=ends[n],new Strings(text,ends)}#column(widths,...steps){let length=new Varints(this.#skip(1)).decode(1),left=this.bytes.length-this.at;if(length>
left)throw new RangeError(`column of ${length} values in ${left} bytes`);return new PackedColumn(this.#skip(length),length,widths,steps)}#skip(n){let{bytes:bytes2,
view,at:from}=this,at=from,missing=n;for(let last=bytes2.length-4;missing>=4&&at<=last;at+=4){let ends=~view.getUint32(at,!0)&GOES_ON;ends===0&&expectShort(bytes2,
from,at),missing-=Math.imul(ends>>>7,16843009)>>>24}for(;missing>0&&at<bytes2.length;at++)bytes2[at]<128?missing--:expectShort(bytes2,from,at);if(missing>0)throw new RangeError(
"payload ends inside a column");return this.at=at,bytes2.subarray(from,at)}};function expectShort(bytes2,from,at){let first=at;for(;first>from&&bytes2[first-1]>=
128;)first--;let last=at;for(;bytes2[last]>=128;)last++;if(last-first>=LONGEST)throw new RangeError(`varint too long at byte ${first}`)}var WHOLE={Type:Float64Array,
reach:1/0},UNSIGNED=[{Type:Uint8Array,reach:2**8-1},{Type:Uint16Array,reach:2**16-1},{Type:Uint32Array,reach:2**32-1},WHOLE],SIGNED=[{Type:Int32Array,reach:2**31-
1},WHOLE],BLOCK=1024,block=new Float64Array(BLOCK),PackedColumn=class{#packed;#values=null;#widths;#steps;constructor(packed,length,widths,steps){this.#packed=packed,
this.length=length,this.#widths=widths,this.#steps=steps}get values(){return this.#packed&&(this.#values=this.#decode(this.#packed),this.#packed=null),this.#values}#decode(packed){
let{length}=this,widths=this.#widths,steps=this.#steps;if(steps.length===0&&packed.length===length)return packed.slice();let varints=new Varints(packed),width=0,
out=new widths[0].Type(length);for(let i=0;i<length;i+=BLOCK){let n=Math.min(BLOCK,length-i),reach=varints.decode(n);for(let step of steps)reach=step(n,reach);let had=width;
for(;reach>widths[width].reach;)width++;width>had&&(out=copied(out,i,new widths[width].Type(length))),out.set(n<BLOCK?block.subarray(0,n):block,i)}return out}},
Varints=class{constructor(bytes2){this.bytes=bytes2,this.at=0}decode(n){let{bytes:bytes2}=this,{at}=this,largest2=0;for(let i=0;i<n;i++){let b=bytes2[at++],value=b&
127;for(let scale=128;b>=128;scale*=128)b=bytes2[at++],value+=(b&127)*scale;value>largest2&&(largest2=value),block[i]=value}return this.at=at,largest2}};function copied(from,n,to){
return to.set(from.subarray(0,n)),to}function unzigzag(n,reach){for(let i=0;i<n;i++){let v=block[i];if(v<2**31)block[i]=v>>>1^-(v&1);else{let half=Math.floor(v/
2);block[i]=half*2===v?half:-half-1}}return Math.floor(reach/2)}function summing(){let total=0;return n=>{let sum=total,low=0,high=0;for(let i=0;i<n;i++)block[i]=
sum+=block[i],sum>high?high=sum:sum<low&&(low=sum);return total=sum,Math.max(high,-low-1)}}var DeviceData=class{#time;#freeCode;#stream;#rule;constructor(bytes2,report){let r=new ColumnReader(bytes2);this.events=report.events,this.count=report.allocations,
this.preExisting=report.pre_existing,this.#time=r.signedSums(),this.hasTime=report.has_time&&this.#time.length===this.events;let start2=r.ascending(),life2=r.unsigned();
expect(start2.length===this.count-this.preExisting&&life2.length===this.count,"allocations"),this.first=new Uint32Array(this.count),this.first.set(start2.values,
this.preExisting),this.last=lastStates(this.first,life2.values,this.events),this.pendingAlloc=r.ascending().values,this.pendingWait=r.unsigned().values,this.size=
r.unsigned().values,this.address=addressesOf(r,report,this.size),this.stack=r.unsigned().values,this.#freeCode=r.unsigned(),this.#stream=r.unsigned(),this.family=
r.unsigned().values,r.unsigned(),this.reservedEvent=r.ascending().values,this.reservedDelta=r.signed().values,this.markers=readMarkers(r),this.context=new Texts(
r),this.metadata=new Texts(r),this.#rule=r.unsigned();for(let column of[this.size,this.stack,this.#freeCode,this.#stream,this.family,this.#rule])expect(column.length===
this.count,"a column");expect(this.reservedEvent.length===this.reservedDelta.length,"reserved memory")}get time(){return this.hasTime?this.#time.values:null}get stream(){
return this.#stream.values}get rule(){return this.#rule.values}isPreExisting(i){return i<this.preExisting}isLiveAtEnd(i){return this.last[i]===this.events}startEvent(i){
return this.isPreExisting(i)?null:this.first[i]-1}endEvent(i){return this.isLiveAtEnd(i)?null:this.last[i]}freeStack(i){let code=this.#freeCode.values[i];return code===
1?this.stack[i]:Math.max(0,code-2)}freeRequest(i){let at=this.pendingAlloc.indexOf(i);return at<0?null:this.last[i]-this.pendingWait[at]}};function lastStates(first,life2,events){
let last=new Uint32Array(life2.length);for(let i=0;i<life2.length;i++){let end=first[i]-1+life2[i];life2[i]===0?last[i]=events:end<events?last[i]=end:expect(!1,
"an allocation")}return last}function readMarkers(r){let event=r.ascending().values,kind=r.unsigned().values,size=r.unsigned().values,free=r.unsigned().values;return Array.
from(event,(state,i)=>({state,kind:kind[i]===0?"oom":"snapshot",size:size[i],free:free[i]}))}var Texts=class{constructor(r){this.alloc=r.ascending().values,this.
text=r.unsigned().values,expect(this.alloc.length===this.text.length,"texts")}get(id){let i=countBelow(this.alloc,id);return this.alloc[i]===id?this.text[i]:void 0}};
function expect(ok,what){if(!ok)throw new Error(`the payload does not fit the report: ${what}`)}var USER=0,LIBRARY=1,INTERNAL=2,Stacks=class{constructor(bytes2){let r=new ColumnReader(bytes2);this.strings=r.strings(),this.frameName=r.unsigned().values,this.
frameFile=r.unsigned().values,this.frameLine=r.unsigned().values,this.frameKind=r.unsigned().values;let back=r.unsigned().values;this.nodeFrame=r.unsigned().values,
this.node=r.unsigned().values,this.site=r.unsigned().values,this.operator=r.unsigned().values,this.shade=r.unsigned().values,this.backward=r.unsigned().values,this.
known=[],this.parent=new Uint32Array(back.length);for(let i=0;i<back.length;i++){if(back[i]<1||back[i]>i+1)throw new RangeError(`node ${i+1} has no parent`);this.
parent[i]=i+1-back[i]}}get length(){return this.node.length}frames(stack){let out=[],node=this.node[stack]??0;for(node>this.parent.length&&(node=0);node>0;node=
this.parent[node-1])out.push(this.frame(this.nodeFrame[node-1]));return out}frame(i){return this.known[i]??={name:this.strings.at(this.frameName[i]),file:this.strings.
at(this.frameFile[i]),line:this.frameLine[i]??0,kind:this.frameKind[i]??INTERNAL}}siteFrame(stack){let site=this.site[stack]??0;return site>0?this.frame(site-1):
null}operatorOf(stack){return this.strings.at(this.operator[stack])}isEmpty(stack){return!(this.node[stack]>0)}};var NO_STACK="(no stack recorded)";function slashes(path){return path.replaceAll("\\","/")}function baseName(path){return slashes(path).replace(/^.*\//,"")}function twoLastParts(path){
return slashes(path).split("/").slice(-2).join("/")}function shortPath(frame){let path=slashes(frame.file);if(frame.kind===USER)return twoLastParts(path);let library=/(?:site-packages|dist-packages|lib\/python[\d.]+)\/(?!site-packages|dist-packages)(.*)$/.
exec(path);return library?library[1]:path}function located(path,line2){return line2>0?`${path}:${line2}`:path}function siteOf(stacks,stack){if(stacks.isEmpty(stack))
return{key:"",name:NO_STACK,place:"",file:"",title:NO_STACK};let frame=stacks.siteFrame(stack);if(frame){let title=`${located(frame.file,frame.line)} ${frame.name}`;
return{key:"f"+title,name:frame.name,place:located(baseName(frame.file),frame.line),file:frame.file,title}}let operator=stacks.operatorOf(stack);if(stacks.backward[stack])
return plain(operator?`autograd ${operator}`:"autograd");if(operator)return plain(operator);let innermost=stacks.frames(stack)[0];return plain(innermost?innermost.
name||located(baseName(innermost.file),innermost.line):NO_STACK)}function plain(name){return{key:"n"+name,name,place:"",file:"",title:name}}function keyOf(stacks,stack,by){
let site=siteOf(stacks,stack),frame=stacks.siteFrame(stack);return by==="site"||!frame?site:by==="file"?{key:"p"+frame.file,name:twoLastParts(frame.file),place:"",
file:"",title:frame.file}:{key:"c"+frame.name,name:frame.name,place:"",file:"",title:frame.name}}var SiteTable=class{constructor(data,stacks){this.data=data,this.
stacks=stacks,this.known={site:[],file:[],function:[]},this.perStack=null}site(id,by="site"){return this.#ofStack(this.data.stack[id],by)}#ofStack(stack,by){return this.
known[by][stack]??=keyOf(this.stacks,stack,by)}rows(ids,by,groups){let rows=new Map,ofStack=[],{size,stack}=this.data;for(let id of ids){let row=ofStack[stack[id]]??=
this.#row(rows,id,by);row.bytes+=size[id],row.tensors++,size[id]>size[row.largest]&&(row.largest=id),row.byGroup[groups[id]]=(row.byGroup[groups[id]]??0)+size[id]}
for(let row of rows.values()){let most=-1;row.byGroup.forEach((n,group)=>{n<=most||(most=n,row.group=group)})}return[...rows.values()].sort((a,b)=>b.bytes-a.bytes||
b.tensors-a.tensors)}#row(rows,id,by){let site=this.site(id,by),row=rows.get(site.key);return row||rows.set(site.key,row={...site,bytes:0,tensors:0,group:0,largest:id,
byGroup:[]}),row}tensors(site){if(!this.perStack){let perStack=this.perStack=new Uint32Array(this.stacks.length);for(let stack of this.data.stack)perStack[stack]++}
let sum=0;return this.perStack.forEach((n,stack)=>{n>0&&this.#ofStack(stack,"site").key===site.key&&(sum+=n)}),sum}};var Pyramid=class{constructor(values,sign){this.values=values,this.sign=sign,this.levels=[];let below=null;for(let length=values.length;length>64;length=below.length){
let level=new Uint32Array(Math.ceil(length/64));for(let b=0;b<level.length;b++)level[b]=this.#best(below,b*64,Math.min(length,(b+1)*64));this.levels.push(level),
below=level}}best(from,to){return this.#search(-1,from,to+1)}#search(l,from,to){let level=l<0?null:this.levels[l],blockFrom=Math.ceil(from/64),blockTo=Math.floor(
to/64);if(l+1>=this.levels.length||blockFrom>=blockTo)return this.#best(level,from,to);let best=from<blockFrom*64?this.#best(level,from,blockFrom*64):-1;return best=
this.#better(best,this.#search(l+1,blockFrom,blockTo)),blockTo*64<to?this.#better(best,this.#best(level,blockTo*64,to)):best}#best(level,from,to){let{values,sign}=this;
if(!level)return sign>0?largest(values,from,to):smallest(values,from,to);let best=level[from],top=sign*values[best];for(let q=from+1;q<to;q++){let v=sign*values[level[q]];
v>top&&(top=v,best=level[q])}return best}#better(a,b){return a<0||this.sign*this.values[b]>this.sign*this.values[a]?b:a}};function largest(values,from,to){let best=from,
top=values[from];for(let i=from+1;i<to;i++)values[i]>top&&(top=values[i],best=i);return best}function smallest(values,from,to){let best=from,top=values[from];for(let i=from+
1;i<to;i++)values[i]<top&&(top=values[i],best=i);return best}var BLOCK2=64,GROUP=BLOCK2*BLOCK2,Timeline=class{constructor(data,reservedBaseline){this.data=data,this.lastState=data.events,this.active=sumActive(data),this.highest=
new Pyramid(this.active,1),this.lowest=new Pyramid(this.active,-1),this.peak=this.highest.best(0,this.lastState),this.blockLast=blockMaxima(data.last),this.groupLast=
blockMaxima(this.blockLast),this.reservedFrom=new Uint32Array(data.reservedEvent.length+1),this.reserved=new Float64Array(data.reservedEvent.length+1),this.reserved[0]=
reservedBaseline;for(let i=0;i<data.reservedEvent.length;i++)this.reservedFrom[i+1]=data.reservedEvent[i]+1,this.reserved[i+1]=this.reserved[i]+data.reservedDelta[i];
this.reservedPeak=this.reserved.reduce((a,b)=>Math.max(a,b),0),this.buffer=new Int32Array(data.count)}reservedAt(k){return this.reserved[countUpTo(this.reservedFrom,
k)-1]}live(k){return this.liveOf(0,countUpTo(this.data.first,k),k)}liveOf(from,to,k){let{data:{last},blockLast,groupLast,buffer}=this,n=0;for(let i=from;i<to;){
let b=Math.floor(i/BLOCK2);if(i%GROUP===0&&groupLast[b/BLOCK2]<k){i+=GROUP;continue}let end=Math.min(to,(b+1)*BLOCK2);for(blockLast[b]<k&&(i=end);i<end;i++)last[i]>=
k&&(buffer[n++]=i)}return buffer.subarray(0,n)}hit(k,byte){if(byte<0)return null;let{size}=this.data,offset=0;for(let id of this.live(k)){if(byte<offset+size[id])
return{id,offset};offset+=size[id]}return null}offset(id,k){let offset=0;for(let i of this.live(k)){if(i===id)break;offset+=this.data.size[i]}return offset}unchangedBelow(from,to){
let offset=0;for(let i of this.live(from)){if(this.data.last[i]<to)break;offset+=this.data.size[i]}return offset}};function sumActive({events,count:count2,first,
last,size}){let active=new Float64Array(events+2);for(let i=0;i<count2;i++)active[first[i]]+=size[i],active[last[i]+1]-=size[i];let sum=0;for(let k=0;k<=events;k++)
active[k]=sum+=active[k];return active.subarray(0,events+1)}function blockMaxima(values){let out=new Uint32Array(Math.ceil(values.length/BLOCK2));for(let b=0;b<
out.length;b++){let most=0;for(let i=b*BLOCK2,end=Math.min(values.length,i+BLOCK2);i<end;i++)values[i]>most&&(most=values[i]);out[b]=most}return out}var Library=class{constructor(report,document2){this.report=report,this.document=document2,this.stacks=new Map}async open(fileIndex,deviceIndex){let file=this.report.
files[fileIndex],report=file?.devices[deviceIndex];if(!report)throw new Error("there is no such device in this report");let[stacks,bytes2]=await Promise.all([this.#stacksOf(
file.stacks),payload(this.document.getElementById(report.payload))]),data=new DeviceData(bytes2,report),timeline=new Timeline(data,report.reserved_baseline_bytes);
return{fileIndex,deviceIndex,file,report,stacks,data,timeline,sites:new SiteTable(data,stacks),hasHistory:data.events>0,hasTime:data.hasTime&&report.span_us>0}}#stacksOf(id){
let stacks=this.stacks.get(id);return stacks||(stacks=payload(this.document.getElementById(id)).then(bytes2=>new Stacks(bytes2)),this.stacks.set(id,stacks)),stacks}};var SCHEMA="memviz.report/1";function parseReport(text){let report=JSON.parse(text);if(report.schema!==SCHEMA)throw new Error(`this viewer reads ${SCHEMA}, the \
page holds ${report.schema}`);return report}function streamName(streams,i){return i===0?"stream 0":`stream ${streams[i]??i}`}var WHO=2;function answersOf(device,grouping,pinned){return device.report.answers.map((card,i)=>{let shown=i===WHO&&pinned!==null?allocatedThis(card,device,pinned):
card;return card.bar.length>0&&grouping.mode==="size"?{...shown,line:`${counted(device.data.count,"tensor")} coloured by size`,colours:bySize2(device,grouping)}:
{...shown,colours:card.bar.map(p=>({color:grouping.groups[p.family]?.color??"",part:p.bytes}))}})}function bySize2({timeline,data},grouping){let held=new Float64Array(
grouping.groups.length);for(let id of timeline.live(timeline.peak))held[grouping.of[id]]+=data.size[id];return grouping.groups.map(({color},i)=>({color,part:held[i]})).
filter(({part})=>part>0)}function allocatedThis(card,{timeline,data,sites},pinned){let site=sites.site(pinned),size=bytes(data.size[pinned]),answer2={...card,question:"\
Who allocated this?",value:site.name,small:site.place,mood:"known",detail:"",line:`${size}, pinned; ${counted(sites.tensors(site),"tensor")} from this site`,evidence:{
from:0,to:0,state:Math.min(data.first[pinned],timeline.lastState),allocation:pinned}};if(site.name!==NO_STACK)return answer2;let why=data.isPreExisting(pinned)?
"allocated before the recording":"stacks were not recorded";return{...answer2,value:"No stack recorded",small:"",mood:"unknown",line:`${size}, pinned; ${why}`}}function h(tag,properties={},...children){let element=document.createElement(tag),p=properties;element instanceof HTMLButtonElement&&(element.type="button"),p.class&&
(element.className=p.class),p.text!==void 0&&(element.textContent=p.text),p.title&&(element.title=p.title),p.role&&element.setAttribute("role",p.role),p.label&&
element.setAttribute("aria-label",p.label),p.pressed!==void 0&&element.setAttribute("aria-pressed",String(p.pressed)),p.selected!==void 0&&element.setAttribute(
"aria-selected",String(p.selected)),p.disabled&&"disabled"in element&&(element.disabled=!0),p.value!==void 0&&"value"in element&&(element.value=p.value);for(let[
name,value]of Object.entries(p.css??{}))element.style.setProperty(name,value);return p.click&&element.addEventListener("click",p.click),element.append(...children.
filter(c=>c!=null&&c!==!1)),element}function byId(id){let element=document.getElementById(id);if(!element)throw new Error(`the page has no element ${id}`);return element}
function swatch(color){return h("i",{class:"swatch",css:{background:color}})}function segmented(label,buttons){return h("span",{class:"segmented",role:"group",label},
...buttons.map(b=>h("button",b)))}async function copyText(text){try{await navigator.clipboard.writeText(text)}catch{let area=h("textarea",{class:"offscreen",value:text});
document.body.append(area),area.select(),document.execCommand("copy"),area.remove()}}var SVG="http://www.w3.org/2000/svg";function mountAnswers(app,root){app.onBeside(["device","pin","colour"],()=>{let answers=answersOf(app.device,app.grouping,app.
pinned);root.replaceChildren(...answers.map(answer2=>{let{evidence,mood}=answer2;return evidence?cell(answer2,mood==="alarm"?()=>app.showOOM():()=>app.showEvidence(
evidence)):cell(answer2,null)}))})}function cell(answer2,click){let content=[h("span",{class:"question",text:answer2.question}),h("span",{class:"value",title:answer2.
detail||[answer2.value,answer2.small].filter(Boolean).join(" ")},answer2.value,answer2.small?h("small",{text:answer2.small}):null),answer2.colours.length>0?bar(
answer2.colours):answer2.curve.length>1?sparkline(answer2.curve):null,h("span",{class:"line",text:answer2.line,title:answer2.detail||answer2.line})],style=`answ\
er ${answer2.mood}`;return click?h("button",{class:style,click},...content):h("div",{class:style},...content)}function bar(parts){return h("span",{class:"pictur\
e bar"},...parts.map(({color,part})=>h("span",{css:{background:color,flex:`${part} 0 0`}})))}function sparkline(values){let low=Math.min(...values),range=Math.max(
...values)-low,svg=document.createElementNS(SVG,"svg"),line2=document.createElementNS(SVG,"polyline");svg.setAttribute("viewBox","0 0 108 20"),svg.setAttribute(
"class","picture spark"),svg.setAttribute("aria-hidden","true");let step=106/Math.max(1,values.length-1);return line2.setAttribute("points",values.map((v,i)=>`${(1+
i*step).toFixed(1)},${(range>0?18-16*(v-low)/range:10).toFixed(1)}`).join(" ")),svg.append(line2),svg}function mountHeader(app,elements){let closed=new Set;app.on(["device"],()=>{let{file,report}=app.device;elements.file.textContent=file.name,elements.file.title=
file.name,elements.device.replaceChildren(deviceChoice(app)),elements.facts.replaceChildren(...facts(app.device));let{ok,text,why}=report.verdict;elements.verdict.
textContent=`${ok?"✓":"⚠"} ${text}`,elements.verdict.title=why,elements.verdict.classList.toggle("limited",!ok),elements.warnings.replaceChildren(...report.
warnings.filter(w=>!closed.has(w)).map(w=>warningBar(w,()=>closed.add(w))))})}function deviceChoice(app){let{report:{files},device}=app,devices=files.reduce((n,file)=>n+
file.devices.length,0);if(devices<2)return h("span",{class:"only",text:device.report.label});let select=h("select",{label:"Device",title:`${devices} devices`});
return files.forEach((file,f)=>{let options=file.devices.map((d,i)=>{let option=h("option",{text:`${d.label}  ·  peak ${bytes(d.peak_bytes)}`,value:`${f}.${i}`});
return option.selected=f===device.fileIndex&&i===device.deviceIndex,option});if(files.length===1)select.append(...options);else if(options.length>0){let group=h(
"optgroup",{},...options);group.label=file.name,select.append(group)}}),select.addEventListener("change",()=>{let[f,i]=select.value.split(".").map(Number);app.open(
f,i).then(()=>app.settle())}),select}function facts({report:r,file,timeline,hasHistory,hasTime}){let list=[["peak",bytes(r.peak_bytes),`${count(r.peak_bytes)} b\
ytes in state ${count(r.peak_state)}`,!0],["reserved",bytes(timeline.reservedPeak),`${count(timeline.reservedPeak)} bytes at most`,!0],["live at end",bytes(r.final_bytes),
`${count(r.final_bytes)} bytes in ${count(r.live_at_end)} tensors`,!1],["tensors",count(r.allocations),"",!0]];return hasHistory&&list.push(["events",count(r.events),
"",!1]),hasTime&&list.push(["span",duration(r.span_us),r.first_time?`from ${r.first_time}`:"",!1]),file.torch&&list.push(["torch",file.torch,"a guess from what \
the file holds",!1]),list.map(([name,value,title,always])=>h("div",{class:always?"":"wide",title},h("dt",{text:name}),h("dd",{text:value})))}function warningBar({
fact,consequence,code},close){let bar2=h("div",{class:"warning",role:"status"},h("b",{text:fact}),h("span",{text:consequence}),code?h("code",{text:code,title:"C\
opy",click:()=>{copyText(code)}}):null,h("button",{class:"plain",text:"×",label:"Close",click:()=>{bar2.remove(),close()}}));return bar2}function bindings({app,history:history2,pinned,theme,list,guide,spoken}){let view=()=>app.viewport,middle=()=>(view().from+view().to)/2,step=by=>{let id=neighbour(
app,by);if(id===null)return;app.pin(id);let{data,sites}=app.device,site=sites.site(id);spoken.textContent=`${bytes(data.size[id])} ${app.grouping.groups[app.grouping.
of[id]].one}, ${site.name} ${site.place}`},none=[];return[["Move",[{keys:none,shown:"drag",does:"pan"},{keys:none,shown:"wheel",does:"zoom at the pointer"},{keys:none,
shown:"Shift wheel",does:"pan"},{keys:["ArrowLeft","ArrowRight"],shown:"← →",does:"pan a quarter, with Shift all",run:e=>view().pan(view().width*(e.key==="A\
rrowLeft"?-1:1)*(e.shiftKey?1:.25))},{keys:["+","=","-"],shown:"+ −",does:"zoom",run:e=>view().zoom(e.key==="-"?2:.5,middle())},{keys:["0"],shown:"0",does:"wh\
ole recording",run:()=>view().whole()},{keys:["y"],shown:"Y",does:"fit height",run:()=>view().toggleFit()},{keys:none,shown:"Alt wheel",does:"zoom height"},{keys:none,
shown:"Alt drag",does:"zoom to a box"},{keys:["[","]"],shown:"[ ]",does:"view back, forward",run:e=>e.key==="["?history2.back():history2.forward()}]],["Go to",[
{keys:["p"],shown:"P",does:"peak",run:()=>app.setMoment("peak")},{keys:["o"],shown:"O",does:"out of memory",run:()=>app.showOOM()},{keys:["e"],shown:"E",does:"e\
nd",run:()=>app.setMoment("end")},{keys:["z"],shown:"Z",does:"life of the pinned tensor",run:()=>{app.pinned!==null&&app.showLife(app.pinned)}},{keys:["1","2","\
3","4"],shown:"1 2 3 4",does:"the four answers",run:e=>answer(Number(e.key))}]],["Select",[{keys:none,shown:"click",does:"pin a tensor"},{keys:none,shown:"doubl\
e click",does:"zoom to its life"},{keys:["ArrowUp","ArrowDown"],shown:"↑ ↓",does:"tensor above, below",run:e=>step(e.key==="ArrowUp"?1:-1)},{keys:["Escape"],
shown:"Esc",does:"clear, innermost first",run:()=>{guide.hidden?app.escape():guide.hidden=!0}}]],["Show",[{keys:["c"],shown:"C",does:"colour by family or size",
run:()=>app.setColourMode(app.colourMode==="family"?"size":"family")},{keys:["x"],shown:"X",does:"events or time",run:()=>app.setAxis(view().axis.kind==="events"?
"time":"events")},{keys:["s"],shown:"S",does:"stack: all frames",run:()=>pinned.toggleFolds()},{keys:["t"],shown:"T",does:"light, dark, system",run:()=>theme.cycle()}]],
["Take away",[{keys:none,shown:"Ctrl C",does:"copy the pinned stack"},{keys:["m"],shown:"M",does:"copy it as Markdown",run:()=>pinned.copy(!0)}]],["Help",[{keys:[
"?"],shown:"?",does:"this list",run:()=>list.showModal()},{keys:["w"],shown:"W",does:"how to read this",run:()=>{guide.hidden=!guide.hidden}}]]]}function mountKeys(actions){
let{app,list,pinned}=actions,groups=bindings(actions),byKey=new Map(groups.flatMap(([,all])=>all.flatMap(b=>b.keys.map(key=>[key,b]))));addEventListener("keydow\
n",event=>{if(event.defaultPrevented||!app.device||list.open||isTyping(event.target))return;if(event.ctrlKey||event.metaKey){event.key==="c"&&!getSelection()?.toString()&&
app.pinned!==null&&pinned.copy(!1);return}if(event.altKey)return;let binding=byKey.get(event.key)??byKey.get(event.key.toLowerCase());!binding?.run||!app.device.
hasHistory&&needsHistory(event.key)||(event.preventDefault(),binding.run(event))}),list.append(h("h2",{text:"Keys"}),h("div",{class:"keys"},...groups.map(([title,
all])=>h("section",{},h("h3",{text:title}),...all.map(b=>h("p",{},h("span",{},...caps(b.shown)),h("span",{text:b.does}))))))),list.addEventListener("click",event=>{
event.target===list&&list.close()})}function needsHistory(key){return"ArrowLeft ArrowRight + = - p o e x y z [ ]".split(" ").includes(key)}function isTyping(target){
return target instanceof HTMLInputElement||target instanceof HTMLTextAreaElement||target instanceof HTMLSelectElement}function caps(shown){return shown.split(" ").
flatMap(word=>[/^(drag|wheel|click|double)$/.test(word)?word:h("kbd",{text:word})," "])}function answer(n){let element=document.querySelector(`#answers > :nth-c\
hild(${n})`);element instanceof HTMLButtonElement&&element.click()}function neighbour(app,by){let{device:{timeline,data},pinned}=app,state=pinned===null||data.first[pinned]<=
app.momentState&&app.momentState<=data.last[pinned]?app.momentState:data.last[pinned],live=timeline.live(state);if(live.length===0)return null;let at=pinned===null?
by>0?-1:live.length:live.indexOf(pinned);return live[at+by]??null}function mountPanel(app,root){let update=()=>{let{device,momentState:state}=app,{timeline}=device,live=timeline.live(state),total=timeline.active[state],reserved=timeline.
reservedAt(state),unused=bytes(Math.max(0,reserved-total));root.replaceChildren(h("div",{class:"head"},h("h2",{text:"In memory"}),device.hasHistory?moments(app):
null),h("div",{class:"total"},h("b",{text:bytes(total),title:exactBytes(total)}),h("span",{text:momentWords(app,state)}),h("p",{text:`${counted(live.length,"ten\
sor")}; reserved ${bytes(reserved)}, of it unused ${unused}`,title:`reserved ${exactBytes(reserved)}`})),...oomCard(app,state),...legend(app,live,total))};app.onBeside(
["device","moment","colour"],update)}function moments(app){let{moment}=app;return segmented("Moment",[{text:"Peak",title:"P",pressed:moment==="peak",click:()=>app.
setMoment("peak")},{text:"Cursor",title:"Click the timeline to set it",pressed:moment==="cursor",click:()=>app.setMoment("cursor")},{text:"End",title:"E",pressed:moment===
"end",click:()=>app.setMoment("end")}])}function momentWords(app,state){return app.device.hasHistory?(app.moment==="peak"?"at the peak, ":app.moment==="end"?"at\
 the end, ":"")+(state===app.device.timeline.lastState?"after the last event":`before event ${count(state)}`):"in the final state"}function oomCard(app,state){let oom=app.
ooms.find(m=>m.state===state);if(!oom)return[];let{timeline}=app.device,active=timeline.active[state],rows=[["asked for",oom.size],["free on the device",oom.free],
["reserved, unused",Math.max(0,timeline.reservedAt(state)-active)],["in use by tensors",active]];return[h("div",{class:"oom"},h("b",{text:"Out of memory"}),...rows.
flatMap(([name,value])=>[h("span",{text:name}),h("span",{class:"number",text:bytes(value),title:exactBytes(value)})]))]}function legend(app,live,total){let{grouping,
device:{data},isolated}=app,n=grouping.groups.length,sums=new Float64Array(n),tensors=new Uint32Array(n);for(let id of live)sums[grouping.of[id]]+=data.size[id],
tensors[grouping.of[id]]++;let why=rulesOf(app,live),shown=grouping.groups.map((group,i)=>({group,i})).filter(({i})=>grouping.present[i]),bar2=h("div",{class:"b\
ar"},...shown.filter(({i})=>sums[i]>0).map(({group,i})=>h("span",{title:`${group.label} ${bytes(sums[i])}`,css:{background:group.color,flex:`${sums[i]} 0 0`}}))),
rows=shown.map(({group,i})=>h("button",{class:sums[i]>0?"":"none",pressed:isolated.size===0||isolated.has(i),title:[`${group.label}: ${exactBytes(sums[i])} in ${counted(
tensors[i],"tensor")}`,...why.get(i)??[],"Click isolates, Shift-click adds"].join(`
`),click:event=>app.isolate(i,event.shiftKey)},swatch(group.color),h("span",{text:grouping.mode==="size"?`${group.label}, ${count(tensors[i])}`:group.label}),h(
"span",{class:"number",text:bytes(sums[i])}),h("span",{class:"number faint",text:sums[i]>0?share(sums[i],total):""})));return[bar2,h("div",{class:"legend"},...rows)]}
var RULES=3;function rulesOf({grouping,report,device:{data}},live){if(grouping.mode!=="family")return new Map;let sums=new Float64Array(report.rules.length),{rule,
size}=data;for(let id of live)sums[rule[id]]+=size[id];let order=[...sums.keys()].filter(r=>sums[r]>0).sort((a,b)=>sums[b]-sums[a]);return new Map(grouping.groups.
map((_,i)=>[i,order.filter(r=>report.rules[r].family===i).slice(0,RULES).map(r=>`${bytes(sums[r])}: ${report.rules[r].because}`)]))}function foldStack(frames,operator){let out=[];for(let i=0;i<frames.length;){let frame=frames[i],end=i+1;if(frame.kind===INTERNAL){for(;end<frames.length&&frames[end].
kind===INTERNAL;)end++;let run=frames.slice(i,end);out.push({fold:!0,frames:run,label:foldLabel(run)+(i===0&&operator?`, ${operator}`:"")})}else{for(;end<frames.
length&&frames[end]===frame;)end++;end-i<3&&(end=i+1),out.push({fold:!1,frame,times:end-i})}i=end}return out}function foldLabel(run){let python=run.filter(isPython).
length,frames=run.length===1?"frame":"frames",what=python===0?"C++":python===run.length?"wrapper":"C++ and wrapper";return`${run.length} ${what} ${frames}`}function isPython(frame){
return/\.(py|ipynb)$|^</.test(frame.file)}function placeOf(frame){return frame.file==="??"?"":located(shortPath(frame),frame.line)}function nameOf(frame){return isPython(
frame)?frame.name:elide(frame.name)}function fullText(frame){return`${located(frame.file,frame.line)}:${frame.name}`}function elide(name){let plain2=name.replaceAll(
"(anonymous namespace)::",""),out="",angle=0,round=0;for(let i=0;i<plain2.length;i++){let c=plain2[i],operator=/operator[<>()-]*$/.test(out);if(c==="<"&&!operator&&
round===0)angle++===0&&(out+="<…>");else if(c===">"&&!operator&&angle>0&&round===0)angle--;else{if(angle>0)continue;c==="("&&!(operator&&plain2[i+1]===")")?round++===
0&&(out+="(…)"):c===")"&&round>0?round--:round===0&&(out+=c)}}return out.replace(/\(…\)\s*const$/,"(…)")}function stackText(header,frames){return[header,...frames.
map(f=>`${located(f.file,f.line)} ${f.name}`)].join(`
`)+`
`}function stackElement(frames,operator,open){let list=h("div",{class:"stack"});for(let item of foldStack(frames,operator)){if(!item.fold){list.append(line(item.frame,
item.times));continue}let inner=h("div",{},...item.frames.map(f=>line(f,1)));inner.hidden=!open;let button=h("button",{class:"fold",text:`${open?"▾":"▸"} ${item.
label}`,click:()=>{inner.hidden=!inner.hidden,button.textContent=`${inner.hidden?"▸":"▾"} ${item.label}`}});list.append(button,inner)}return list}function line(frame,times){
let kind=frame.kind===USER?"user":frame.kind===LIBRARY?"library":"internal",place=placeOf(frame),name=nameOf(frame);return h("div",{class:`frame ${kind}`,title:fullText(
frame)},h("span",{class:"place",text:place||name}),h("span",{class:"name",text:(place?name:"")+(times>1?` × ${count(times)}`:"")}))}var PinnedPanel=class{constructor(app,root,side){this.app=app,this.root=root,this.side=side,this.tab="alloc",this.open=!1,app.onBeside(["device","pin"],()=>{this.#chooseTab(),
this.update()}),app.onBeside(["colour"],()=>this.update())}#chooseTab(){let{device:{data,stacks},pinned}=this.app,none=pinned!==null&&stacks.isEmpty(data.stack[pinned]);
this.tab=none&&!stacks.isEmpty(data.freeStack(pinned??0))?"free":"alloc"}update(){let{app,root}=this,id=app.pinned;if(this.side.classList.toggle("pinning",id!==
null),root.hidden=id===null,id===null){root.replaceChildren();return}let{grouping,device:{data,report}}=app,group=grouping.groups[grouping.of[id]],copy=h("butto\
n",{text:"Copy stack",title:"All frames as text (Ctrl-C)",click:()=>{this.copy(!1),flash(copy)}});root.replaceChildren(h("div",{class:"head"},swatch(group.color),
h("h2",{text:`${bytes(data.size[id])} ${group.one}`}),h("span",{class:"faint",text:`#${count(id)}`}),h("span",{class:"actions"},app.device.hasHistory?h("button",
{class:"zoom",text:"Zoom",title:"Zoom to its life (Z)",click:()=>app.showLife(id)}):null,copy,h("button",{text:"×",label:"Unpin",title:"Esc",click:()=>app.pin(
null)}))),h("dl",{},...this.#facts(id,report.peak_bytes)),this.#tabs(id),this.#stack(id))}#facts(id,peak){let{data,stacks,file}=this.app.device,rows=[["size",`${exactBytes(
data.size[id])} requested`,note(`${share(data.size[id],peak)} of the peak`)],["lived",...lived(this.app,id)],["address",h("span",{class:"mono",text:data.address.
text(id)||"left out"}),note(streamName(file.streams,data.stream[id]))]],rule=this.app.report.rules[data.rule[id]];rule&&rows.push(["because",`${rule.because}`,rule.
qualifier?note(rule.qualifier):""]);let operator=stacks.operatorOf(data.stack[id]);operator&&rows.push(["operator",h("span",{class:"mono",text:operator})]);let region=data.
context.get(id),metadata=data.metadata.get(id);return region!==void 0&&rows.push(["compiled",stacks.strings.at(region)]),metadata!==void 0&&rows.push(["metadata",
stacks.strings.at(metadata)]),rows.flatMap(([name,...values])=>{let dd=h("dd",{},...values);return dd.title=dd.textContent??"",[h("dt",{text:String(name)}),dd]})}#tabs(id){
let{data,stacks}=this.app.device,tab=(value,text)=>h("button",{role:"tab",text,selected:this.tab===value,click:()=>{this.tab=value,this.update()}}),freed2=data.
isLiveAtEnd(id)?"Never freed":"Freed by",frames=stacks.frames(this.#shownStack(id)).length;return h("div",{class:"tabs",role:"tablist"},tab("alloc","Allocated b\
y"),tab("free",freed2),frames>0?h("span",{class:"note",text:`${count(frames)} ${frames===1?"frame":"frames, innermost first"}`}):null)}#stack(id){let{data,stacks}=this.
app.device,stack=this.#shownStack(id);return stacks.isEmpty(stack)?h("p",{class:"why",text:whyNoStack(data,id,this.tab)}):stackElement(stacks.frames(stack),stacks.
operatorOf(stack),this.open)}#shownStack(id){let{data}=this.app.device;return this.tab==="alloc"?data.stack[id]:data.freeStack(id)}toggleFolds(){this.open=!this.
open,this.update()}copy(markdown){let{app}=this,id=app.pinned;if(id===null)return;let{grouping,device:{data,stacks}}=app,life2=`event ${data.startEvent(id)??"be\
fore recording"} to ${data.endEvent(id)??"live at the end"}`,what=this.tab==="free"?"freed by":"allocated by",header=`${exactBytes(data.size[id])} ${grouping.groups[grouping.
of[id]].one}, ${[life2,data.address.text(id),what].filter(Boolean).join(", ")}:`,text=stackText(header.replaceAll(" "," "),stacks.frames(this.#shownStack(id)));
copyText(markdown?"```\n"+text+"```\n":text)}};function lived(app,id){let{data}=app.device;if(!app.device.hasHistory)return["live in the final state"];let start2=data.
startEvent(id),end=data.endEvent(id),pending=data.freeRequest(id),words=`${start2===null?"before recording":`event ${count(start2)}`} → ${end===null?"end (sti\
ll live)":count(end)}`,{time}=data,parts=[];return time&&start2!==null&&parts.push(duration((end===null?time[time.length-1]:time[end])-time[start2])),pending!==
null&&parts.push(`free requested at ${count(pending)}`),[words,...parts.map(note)]}function whyNoStack(data,id,tab){return tab==="free"?data.isLiveAtEnd(id)?"St\
ill live when the snapshot was taken.":'The event that freed it carries no stack. Record with stacks="all" and context="all".':data.isPreExisting(id)?"It was th\
ere before the recording began, so nobody wrote down who allocated it. Call torch.cuda.memory._record_memory_history() before the model is built.":'Its event ca\
rries no stack. Record with torch.cuda.memory._record_memory_history(context="all").'}function note(text){return h("span",{class:"faint",text})}function flash(button){
let text=button.textContent;button.textContent="Copied",setTimeout(()=>{button.textContent=text},900)}function mountStatus(app,where,scale,plotWidth){let updateWhere=()=>{let{device,hover}=app,{timeline,data}=device;if(!device.hasHistory){where.replaceChildren("\
No events were recorded: blocks of the final state, largest first in each family.");return}let state=hover?.state??app.momentState,fact=(name,value,note2="")=>h(
"span",{},`${name} `,h("b",{text:value}),note2);where.replaceChildren(fact("state",count(state),` of ${count(timeline.lastState)}`),...data.time?[fact("t",duration(
state===0?0:data.time[state-1]))]:[],fact("active",bytes(timeline.active[state])),fact("reserved",bytes(timeline.reservedAt(state))))},updateScale=()=>{scale.textContent=
app.device.hasHistory?scaleWords(app,plotWidth()):""};app.onBeside(["device","moment","hover"],updateWhere),app.on(["device","settled"],updateScale),addEventListener(
"resize",()=>{app.device&&updateScale()})}function scaleWords(app,plotWidth){let{viewport}=app,{axis}=viewport,pixels=Math.round(plotWidth*devicePixelRatio),covered=axis.
states(viewport.from,viewport.to),each=covered?(covered[1]-covered[0]+1)/pixels:0,crowded=", drawn at its highest, dotted at its lowest; zoom in to see tensors \
shorter than that",events=n=>n<10?String(Number(n.toFixed(1))):count(n);return axis.kind==="time"?`1 column = ${duration(viewport.width/pixels)}, about ${events(
each)} events${each>1?crowded:""}`:each>1?`1 column = ${events(each)} events${crowded}`:each>.2?"every event has its own column":`1 event = ${count(plotWidth/viewport.
width)} px`}var PAGE=150,TABS=[["site","Call site"],["file","File"],["function","Function"]];function mountTable(app,root){let by="site",sort="bytes",rising=!1,tabs=h("div",
{class:"tabs",role:"tablist"}),heads=h("div",{class:"columns"}),body=h("div",{class:"rows"});root.append(tabs,heads,body);let rows=[],twins=new Set,more=()=>{let{
timeline}=app.device,total=timeline.active[app.momentState],shown=body.childElementCount,pinned=app.pinned===null?"":app.device.sites.site(app.pinned,by).key;body.
append(...rows.slice(shown,shown+PAGE).map(row=>rowElement(app,row,total,app.pinned!==null&&row.key===pinned,twins)))},update=()=>{let{device,grouping}=app;rows=
device.sites.rows(device.timeline.live(app.momentState),by,grouping.of),(sort!=="bytes"||rising)&&rows.sort((a,b)=>compare(a,b,sort)*(rising?1:-1)),twins=twinNames(
rows),tabs.replaceChildren(...TABS.map(([value,text])=>h("button",{role:"tab",text,selected:by===value,click:()=>{by=value,update()}})),h("span",{class:"note",text:`${count(
rows.length)} ${rows.length===1?"row":"rows"}`}));let head=(column,text)=>h("button",{text:text+(sort===column?rising?" ↑":" ↓":""),title:"Sort",click:()=>{
rising=sort===column?!rising:column==="name",sort=column,update()}});heads.replaceChildren(h("span"),head("name",by),head("bytes","bytes"),h("span",{text:"share"}),
head("tensors","tensors")),body.replaceChildren(),body.scrollTop=0,more()};body.addEventListener("scroll",()=>{body.scrollTop+body.clientHeight>body.scrollHeight-
200&&more()},{passive:!0}),app.onBeside(["device","moment","colour"],update),app.onBeside(["pin"],()=>{let key=app.pinned===null?null:app.device.sites.site(app.
pinned,by).key;[...body.children].forEach((element,i)=>element.classList.toggle("on",rows[i].key===key))})}function compare(a,b,sort){return sort==="name"?(a.name+
a.place).localeCompare(b.name+b.place):a[sort]-b[sort]}function placeElement({place,file},twins){let line2=/:\d+$/.exec(place)?.[0]??"",name=place.slice(0,place.
length-line2.length);return h("em",{},h("span",{text:twins.has(name)?twoLastParts(file):name}),h("b",{text:line2}))}function twinNames(rows){let paths=new Map,twins=new Set;
for(let{file}of rows){if(!file)continue;let name=baseName(file);(paths.get(name)??file)!==file&&twins.add(name),paths.set(name,file)}return twins}function rowElement(app,row,total,on,twins){
return h("button",{class:on?"row on":"row",title:row.title,click:()=>app.pin(row.largest)},swatch(app.grouping.groups[row.group].color),h("span",{class:row.name===
NO_STACK?"site none":"site"},h("span",{text:row.name}),row.place?placeElement(row,twins):null),h("span",{class:"number",text:bytes(row.bytes),title:exactBytes(row.
bytes)}),h("span",{class:"number faint",text:share(row.bytes,total)}),h("span",{class:"number faint",text:count(row.tensors)}))}var KEY="memviz-theme",ORDER=["light","dark","system"],Theme=class{constructor(app){this.app=app,this.system=matchMedia("(prefers-color-scheme: dark)"),this.system.
addEventListener("change",()=>{this.choice==="system"&&this.#apply()}),this.choice=this.#stored(),addEventListener("beforeprint",()=>this.#set("light")),addEventListener(
"afterprint",()=>this.#apply())}cycle(){this.choice=ORDER[(ORDER.indexOf(this.choice)+1)%ORDER.length];try{localStorage.setItem(KEY,this.choice)}catch{}this.#apply()}force(theme){
this.choice=theme,this.#apply()}#apply(){this.#set(this.choice==="system"?this.system.matches?"dark":"light":this.choice)}#set(theme){document.documentElement.dataset.
theme!==theme&&(document.documentElement.dataset.theme=theme,this.app.themeChanged())}#stored(){try{let stored=localStorage.getItem(KEY);if(stored==="light"||stored===
"dark")return stored}catch{}return"system"}};function mountToolbar(app,history2,root){let update=()=>{let{device,viewport}=app;if(!device.hasHistory){root.replaceChildren(colourChoice(app));return}let go=[
{text:"Peak",title:"Panel to the peak (P)",click:()=>app.setMoment("peak")}];app.ooms.length>0&&go.push({text:"OOM",title:"The last events before out of memory \
(O)",click:()=>app.showOOM()}),go.push({text:"End",title:"Panel to the end (E)",click:()=>app.setMoment("end")});let back=h("button",{class:"icon",text:"↶",title:"\
View back ([)",label:"View back",disabled:!history2.canBack,click:()=>history2.back()}),forward=h("button",{class:"icon",text:"↷",title:"View forward (])",label:"\
View forward",disabled:!history2.canForward,click:()=>history2.forward()}),view=segmented("View",[{text:"Whole",title:"Whole recording (0)",click:()=>viewport.whole()}]);
view.append(back,forward);let fitted=viewport.isFitted;root.replaceChildren(colourChoice(app),...device.hasTime?[segmented("Axis",[{text:"Events",title:"One sta\
te, one step (X)",pressed:viewport.axis.kind==="events",click:()=>app.setAxis("events")},{text:"Time",title:"Recorded time (X)",pressed:viewport.axis.kind==="ti\
me",click:()=>app.setAxis("time")}])]:[],segmented("Go to",go),view,segmented("Height",[{text:"Fit height",title:"Start the height at the lowest byte that chang\
es in view (Y)",pressed:fitted,click:()=>viewport.toggleFit()}]))};app.on(["device","settled","colour"],update)}function colourChoice(app){let select=h("select",
{label:"Colour by",title:"Colour by (C)"},h("option",{text:"Family",value:"family"}),h("option",{text:"Size class",value:"size"}));return select.value=app.colourMode,
select.addEventListener("change",()=>app.setColourMode(select.value==="size"?"size":"family")),h("label",{class:"choice"},h("span",{text:"Colour"}),select)}var AWAY=14,EDGE=8;function mountTooltip(app,root,timeline){let shown=-1,pointer={x:0,y:0};timeline.addEventListener("pointermove",e=>{pointer={x:e.clientX,y:e.
clientY}},{capture:!0}),app.on(["hover","view","device"],()=>{let hover=app.hover,id=hover?.hit?.id??-1;if(root.hidden=id<0||app.moving,!hover||root.hidden){shown=
-1;return}(id!==shown||root.dataset.state!==String(hover.state))&&root.replaceChildren(...lines(app,id,hover.state)),root.dataset.state=String(hover.state),shown=
id;let{offsetWidth:width,offsetHeight:height}=root,right=pointer.x+AWAY,below=pointer.y+AWAY+2;root.style.left=`${Math.max(EDGE,right+width>innerWidth-EDGE?pointer.
x-width-AWAY:right)}px`,root.style.top=`${Math.max(EDGE,below+height>innerHeight-EDGE?pointer.y-height-AWAY:below)}px`})}function lines(app,id,state){let{grouping,
device:{data,stacks,file,timeline,hasHistory}}=app,group=grouping.groups[grouping.of[id]],stack=data.stack[id],total=timeline.active[state],user=stacks.siteFrame(
stack),library=stacks.frames(stack).find(f=>f.kind===LIBRARY),none=stacks.isEmpty(stack),where=user?`${nameOf(user)}  ${placeOf(user)}`:none?data.isPreExisting(
id)?"allocated before the recording":"no stack recorded":"no user frame",detail=[stacks.backward[stack]?"autograd":"",stacks.operatorOf(stack),library?placeOf(library):
""].filter(Boolean).join("  ");return[h("div",{class:"first"},swatch(group.color),h("b",{text:bytes(data.size[id])}),h("span",{text:group.one}),h("span",{class:"\
id",text:`#${count(id)}`})),h("div",{class:user?"mono user":"user",text:where}),detail?h("div",{class:"mono",text:detail}):null,h("div",{text:`${share(data.size[id],
total)} of ${bytes(total)} live here`},h("span",{class:"id mono",text:`${data.address.text(id)} ${streamName(file.streams,data.stream[id])}`.trimStart()})),hasHistory?
h("div",{text:[life(data,id),freed(data,stacks,id)].filter(Boolean).join("; ")}):null,h("div",{class:"faint",text:"Click to pin the full stack"})].filter(x=>x!==
null)}function life(data,id){let start2=data.startEvent(id),end=data.endEvent(id),words=`${start2===null?"before recording":`event ${count(start2)}`} → ${end===
null?"live at the end":count(end)}`;return!data.time||start2===null?words:`${words}, ${duration(data.time[end??data.events-1]-data.time[start2])}`}function freed(data,stacks,id){
let stack=data.freeStack(id);if(stacks.isEmpty(stack)||stack===data.stack[id])return"";let site=siteOf(stacks,stack);return`freed by ${site.name} ${site.place}`.
trimEnd()}var OURS=["d","x","y","at","sel","c","iso"];var Hash=class{constructor(app){this.app=app,this.timer=0,this.reading=!1,this.pushed=location.hash,addEventListener("hashchange",()=>this.#follow()),app.on(["s\
ettled","moment","pin","colour"],()=>this.#write())}device(){let{report}=this.app,[a,b]=(this.#get("d")??"").split("."),file=b===void 0?report.start.file:Number(
a),ordinal=Number(b??a),device=a?report.files[file]?.devices.findIndex(d=>d.device===ordinal)??-1:-1;return device<0?report.start:{file,device}}apply(){let{app}=this,
{viewport,device:{timeline}}=app;this.reading=!0;let colour=this.#get("c");(colour==="family"||colour==="size")&&colour!==app.colourMode&&app.setColourMode(colour);
let names=(this.#get("iso")??"").split(","),isolated=new Set(app.grouping.groups.flatMap((g,i)=>names.includes(g.name)?[i]:[]));(isolated.size>0||app.isolated.size>
0)&&app.setIsolated(isolated);let x=/^([et]):(\d+)-(\d+)$/.exec(this.#get("x")??"");app.setAxis(x?.[1]==="t"?"time":"events");let y=this.#get("y")??"",bytes2=/^(\d+)-(\d+)$/.
exec(y);viewport.mode=y==="fit"?"fit":"auto",x?viewport.show(Number(x[2]),Number(x[3])):viewport.show(0,viewport.axis.end),bytes2&&viewport.setBytes(Number(bytes2[1]),
Number(bytes2[2]));let at=this.#get("at"),state=Number(at);at==="end"?app.setMoment("end"):at!==null&&Number.isInteger(state)&&state>=0&&state<=timeline.lastState?
app.setMoment("cursor",state):app.setMoment(app.device.hasHistory?"peak":"end");let sel=this.#get("sel");app.pin(sel!==null&&/^\d+$/.test(sel)?Number(sel):null),
this.reading=!1}#get(key){return new URLSearchParams(location.hash.slice(1)).get(key)}async#follow(){let{app}=this,{file,device}=this.device();this.pushed=location.
hash,(!app.device||file!==app.device.fileIndex||device!==app.device.deviceIndex)&&await app.open(file,device),this.apply(),app.settle()}#write(){if(this.reading)
return;let text=this.#text();text!==location.hash.slice(1)&&(replace(text),clearTimeout(this.timer),this.timer=setTimeout(()=>{if(location.hash===this.pushed)return;
let now=location.hash.slice(1);replace(this.pushed.slice(1)),history.pushState(null,"","#"+now),this.pushed=location.hash},400))}#text(){let{app}=this,{viewport,
device,report:{start:start2,files}}=app,{axis}=viewport,params=new URLSearchParams(location.hash.slice(1));for(let key of OURS)params.delete(key);let set=(key,value)=>{
value&&params.set(key,value)},ordinal=device.report.device;return set("d",(device.fileIndex!==start2.file||device.deviceIndex!==start2.device)&&(files.length>1?
`${device.fileIndex}.${ordinal}`:String(ordinal))),set("x",(!viewport.isWhole||axis.kind==="time")&&`${axis.kind[0]}:${Math.round(viewport.from)}-${Math.round(viewport.
to)}`),set("y",viewport.mode==="fit"?"fit":viewport.mode==="free"&&`${Math.round(viewport.low)}-${Math.round(viewport.high)}`),set("at",device.hasHistory&&(app.
moment==="end"?"end":app.moment==="cursor"&&String(app.cursor))),set("sel",app.pinned!==null&&String(app.pinned)),set("c",app.colourMode!==app.defaultColourMode&&
app.colourMode),set("iso",app.isolated.size>0&&[...app.isolated].map(i=>app.grouping.groups[i].name).join(",")),params.toString().replaceAll("%3A",":").replaceAll(
"%2C",",")}};function replace(hash){history.replaceState(null,"",hash===""?location.pathname+location.search:"#"+hash)}var ViewHistory=class{constructor(app){this.app=app,this.views=[],this.at=-1,app.on(["device"],()=>{this.views=[],this.at=-1,this.#keep()}),app.on(["settled"],()=>this.#keep())}get canBack(){
return this.at>0}get canForward(){return this.at<this.views.length-1}back(){this.#go(this.at-1)}forward(){this.#go(this.at+1)}#go(i){let entry=this.views[i];entry&&
(this.at=i,this.app.setAxis(entry.axis),this.app.viewport.restore(entry.view),this.app.settle())}#keep(){let{viewport}=this.app,entry={axis:viewport.axis.kind,view:viewport.
view},now=this.views[this.at];now&&now.axis===entry.axis&&now.view.from===entry.view.from&&now.view.to===entry.view.to&&now.view.low===entry.view.low&&now.view.
high===entry.view.high||(this.views=[...this.views.slice(Math.max(0,this.at+1-100),this.at+1),entry],this.at=this.views.length-1)}};function layoutOf(width,height,hasHistory){let below=hasHistory?80:18;return{width,height,left:66,top:34,plotWidth:Math.max(1,width-66-14),plotHeight:Math.max(1,
height-34-below),minimapTop:height-42-8}}var Scales=class{constructor(layout,viewport){this.layout=layout,this.viewport=viewport}x(position){let{from,to}=this.viewport;
return this.layout.left+(position-from)/(to-from)*this.layout.plotWidth}y(bytes2){let{low,high}=this.viewport;return this.layout.top+this.layout.plotHeight*(1-(bytes2-
low)/(high-low))}position(x){let{from,to}=this.viewport;return from+(x-this.layout.left)/this.layout.plotWidth*(to-from)}bytes(y){let{low,high}=this.viewport;return low+
(1-(y-this.layout.top)/this.layout.plotHeight)*(high-low)}minimapX(position){return this.layout.left+position/this.viewport.axis.end*this.layout.plotWidth}minimapPosition(x){
return(x-this.layout.left)/this.layout.plotWidth*this.viewport.axis.end}part(x,y){let{left,top,plotWidth,plotHeight,minimapTop}=this.layout;return x>=left&&x<left+
plotWidth&&y>=top&&y<top+plotHeight?"plot":x>=left-4&&x<left+plotWidth+4&&y>=minimapTop-3&&y<minimapTop+42+3?"minimap":x<left&&y>=top&&y<top+plotHeight?"bytes":
null}};function dragFrom(app,stage,p,alt){let{scales}=stage,{viewport}=app,part=scales.part(p.x,p.y),start2=viewport.view;if(part==="minimap"&&app.device.hasHistory)return minimapDrag(
app,stage,p);if(part==="bytes"){let perPixel2=(start2.high-start2.low)/scales.layout.plotHeight;return{move:q=>viewport.setBytes(start2.low+(q.y-p.y)*perPixel2,
start2.high+(q.y-p.y)*perPixel2)}}if(part!=="plot")return null;if(alt)return boxDrag(app,stage,p);if(!app.device.hasHistory)return{click:!0,move:()=>{}};let perPixel=viewport.
width/scales.layout.plotWidth;return{click:!0,move:q=>{let width=start2.to-start2.from,from=Math.max(0,Math.min(viewport.axis.end-width,start2.from+(p.x-q.x)*perPixel));
viewport.show(from,from+width)}}}function boxDrag(app,stage,p){let{layout}=stage.scales,kept=q=>({x:Math.max(layout.left,Math.min(layout.left+layout.plotWidth,q.
x)),y:Math.max(layout.top,Math.min(layout.top+layout.plotHeight,q.y))});return{move:q=>{let c=kept(q);stage.box={x0:Math.min(p.x,c.x),y0:Math.min(p.y,c.y),x1:Math.
max(p.x,c.x),y1:Math.max(p.y,c.y)},stage.invalidate(1)},end:()=>{let{box,scales}=stage;if(stage.box=null,stage.invalidate(1),!box||box.x1-box.x0<4||box.y1-box.y0<
4)return;let from=scales.position(box.x0),to=scales.position(box.x1),low=scales.bytes(box.y1),high=scales.bytes(box.y0);app.device.hasHistory&&app.viewport.show(
from,to),app.viewport.setBytes(low,high)}}}function minimapDrag({viewport},{scales},p){let{from,to}=viewport.view,width=to-from,a=scales.minimapX(from),b=scales.
minimapX(to),at=q=>Math.max(0,Math.min(viewport.axis.end,scales.minimapPosition(q.x)));if(!viewport.isWhole&&Math.abs(p.x-a)<=6&&p.x<b)return{move:q=>viewport.show(
Math.min(at(q),to),to)};if(!viewport.isWhole&&Math.abs(p.x-b)<=6)return{move:q=>viewport.show(from,Math.max(at(q),from))};if(!viewport.isWhole&&p.x>a&&p.x<b)return{
move:q=>{let f=Math.max(0,Math.min(viewport.axis.end-width,from+at(q)-at(p)));viewport.show(f,f+width)}};let drawn=!1;return{move:q=>{drawn=!0,viewport.show(Math.
min(at(p),at(q)),Math.max(at(p),at(q)))},end:()=>{!drawn&&!viewport.isWhole&&viewport.pan(at(p)-(from+to)/2)}}}var STILL=3,LONG_PRESS=500,Pointer=class{constructor(app,stage,surface){this.app=app,this.stage=stage,this.surface=surface,this.drag=null,this.pressed={x:0,y:0},
this.moved=!1,this.fingers=new Map,this.pressTimer=0,surface.addEventListener("pointerdown",e=>this.#down(e)),surface.addEventListener("mousedown",e=>{e.preventDefault(),
document.activeElement instanceof HTMLElement&&document.activeElement.blur()}),surface.addEventListener("pointermove",e=>this.#move(e)),surface.addEventListener(
"pointerup",e=>this.#up(e)),surface.addEventListener("pointercancel",e=>this.#cancel(e)),surface.addEventListener("pointerleave",()=>{this.drag||app.setHover(null)}),
surface.addEventListener("wheel",e=>this.#wheel(e),{passive:!1}),surface.addEventListener("dblclick",e=>this.#double(e))}#down(event){if(!this.app.device||event.
pointerType==="mouse"&&event.button!==0)return;let p=point(event);this.surface.setPointerCapture(event.pointerId),this.pressed=p,this.moved=!1,event.pointerType===
"touch"&&(this.fingers.set(event.pointerId,p),clearTimeout(this.pressTimer),this.pressTimer=setTimeout(()=>{!this.moved&&this.fingers.size===1&&this.#pinAt(p)},
LONG_PRESS)),this.drag=dragFrom(this.app,this.stage,p,event.altKey)}#move(event){let{app,stage}=this;if(!app.device||!stage.scales)return;let p=point(event);if(this.
fingers.has(event.pointerId)){if(this.fingers.size===2){this.#pinch(event.pointerId,p);return}this.fingers.set(event.pointerId,p)}if(this.drag){this.moved||=Math.
hypot(p.x-this.pressed.x,p.y-this.pressed.y)>STILL,this.moved&&(app.setHover(null),this.drag.move(p));return}this.surface.style.cursor=this.#cursorAt(p),app.setHover(
stage.at(p.x,p.y))}#cursorAt({x,y}){let{stage:{scales},app:{viewport,device}}=this,part=scales.part(x,y);if(part==="bytes")return"ns-resize";if(part==="plot")return"\
crosshair";if(part!=="minimap"||!device.hasHistory)return"default";let near=Math.min(Math.abs(x-scales.minimapX(viewport.from)),Math.abs(x-scales.minimapX(viewport.
to)));return viewport.isWhole?"crosshair":near<=6?"ew-resize":x>scales.minimapX(viewport.from)&&x<scales.minimapX(viewport.to)?"grab":"crosshair"}#pinch(id,p){let other=[
...this.fingers].find(([k])=>k!==id)?.[1],before=this.fingers.get(id);if(this.fingers.set(id,p),this.moved=!0,!other||!before||!this.app.device.hasHistory)return;
let{scales}=this.stage,was=Math.max(8,Math.abs(before.x-other.x)),is=Math.max(8,Math.abs(p.x-other.x));this.app.viewport.zoom(was/is,scales.position((p.x+other.
x)/2))}#up(event){clearTimeout(this.pressTimer),this.fingers.delete(event.pointerId);let{drag}=this;this.drag=null,drag&&(drag.end?.(),drag.click&&!this.moved&&
event.pointerType!=="touch"&&this.#pinAt(point(event)))}#cancel(event){clearTimeout(this.pressTimer),this.fingers.delete(event.pointerId),this.drag=null,this.stage.
box=null}#pinAt(p){let{app}=this,found=this.stage.at(p.x,p.y);found&&(app.setHover(null),app.device.hasHistory&&app.setMoment("cursor",found.state),app.pin(found.
hit?found.hit.id:null))}#wheel(event){let{app,stage}=this;if(!app.device)return;event.preventDefault();let{scales}=stage,{viewport}=app,{x,y}=point(event),unit=event.
deltaMode===1?18:event.deltaMode===2?400:1,dx=event.deltaX*unit,dy=event.deltaY*unit;if(app.setHover(null),event.altKey)viewport.zoomBytes(Math.exp(dy*.002),scales.
bytes(y));else if(app.device.hasHistory)event.shiftKey||Math.abs(dx)>Math.abs(dy)?viewport.pan((Math.abs(dx)>Math.abs(dy)?dx:dy)/scales.layout.plotWidth*viewport.
width):viewport.zoom(Math.exp(dy*(event.ctrlKey?.01:.002)),y>scales.layout.minimapTop-3&&y<scales.layout.minimapTop+42?(viewport.from+viewport.to)/2:scales.position(
x));else return}#double(event){let p=point(event),part=this.stage.scales.part(p.x,p.y);if(part==="bytes"){this.app.viewport.whole();return}if(part!=="plot")return;
let found=this.stage.at(p.x,p.y);found?.hit&&this.app.device.hasHistory?this.app.showLife(found.hit.id):this.app.viewport.whole()}};function point(event){return{
x:event.offsetX,y:event.offsetY}}function planColumns(wanted,active,before,limit){let old=sameStates(wanted,before),coarse=1,paint=highestOfBlocks(wanted,active,old,coarse);for(;paint.length>limit&&
coarse<16;)coarse*=2,paint=highestOfBlocks(wanted,active,old,coarse);coarse>1&&paint.length<limit&&(paint=withOthers(wanted,old,paint,limit));let like=nearest(wanted,
old,paint,coarse);return{old,paint,like,isCoarse:like.some((l,x)=>wanted[l]!==wanted[x])}}function sameStates(wanted,before){let old=new Int32Array(wanted.length).
fill(-1);for(let x=0,b=0;x<wanted.length;x++){for(;b<before.length&&before[b]<wanted[x];)b++;before[b]===wanted[x]&&(old[x]=b)}return old}function highestOfBlocks(wanted,active,old,coarse){
let paint=[],last=-1;for(let from=0;from<wanted.length;from+=coarse){let to=Math.min(wanted.length,from+coarse),best=from;for(let x=from+1;x<to;x++)active[wanted[x]]>
active[wanted[best]]&&(best=x);old[best]>=0||wanted[best]===last||(last=wanted[best],paint.push(best))}return paint}function withOthers(wanted,old,paint,limit){
let states=new Set(paint.map(x=>wanted[x])),all=[...paint];for(let x=0;x<wanted.length&&all.length<limit;x++)old[x]>=0||states.has(wanted[x])||(states.add(wanted[x]),
all.push(x));return all.sort((a,b)=>a-b)}function nearest(wanted,old,paint,coarse){let like=new Int32Array(wanted.length).fill(-1);for(let x of paint)like[x]=x;
for(let x=0;x<like.length;x++)old[x]>=0&&(like[x]=x),!(like[x]>=0||x===0)&&(x%coarse!==0||wanted[x]===wanted[like[x-1]])&&(like[x]=like[x-1]);for(let x=like.length-
2;x>=0;x--)like[x]<0&&(like[x]=like[x+1]);return like}var GUESS_MS=1e-5,NEW=.3,FEWEST=8,Picture=class{constructor(raster){let{timeline}=raster;this.raster=raster,this.pixels=new Uint32Array(0),this.spare=new Uint32Array(
0),this.shown=null,this.isCoarse=!1,this.painted=0,this.columnMs=Math.max(.001,timeline.live(timeline.peak).length*GUESS_MS)}get columns(){return this.shown?.view.
states??new Int32Array(0)}paint(tones,view,ms){let began=performance.now(),{timeline}=this.raster,width=view.states.length,none=view.states.indexOf(-1),recorded=none<
0?width:none,wanted=view.states.subarray(0,recorded),before=this.#before(tones,view),plan=planColumns(wanted,timeline.active,before,ms/this.columnMs);this.#turn(
width*view.height);let{pixels}=this;this.raster.paint(tones,view,pixels,plan.paint),fillIn(pixels,this.spare,plan,width);for(let row=0;row<pixels.length;row+=width)
pixels.fill(tones.paper,row+recorded,row+width);let states=view.states.map((k,x)=>x<recorded?wanted[plan.like[x]]:k);this.shown={tones,view:{...view,states}},this.
isCoarse=plan.isCoarse,this.painted=plan.paint.length,this.painted>=FEWEST&&(this.columnMs+=(Math.max(.001,(performance.now()-began)/this.painted)-this.columnMs)*
NEW)}#before(tones,view){let{shown}=this;if(!(shown&&shown.tones===tones&&shown.view.states.length===view.states.length&&shown.view.height===view.height&&shown.
view.bytesFrom===view.bytesFrom&&shown.view.bytesTo===view.bytesTo&&shown.view.lines===view.lines))return new Int32Array(0);let{states}=shown.view,none=states.indexOf(
-1);return none<0?states:states.subarray(0,none)}#turn(length){let before=this.pixels;this.pixels=this.spare.length===length?this.spare:new Uint32Array(length),
this.spare=before}};function fillIn(out,before,plan,width){let{old,like}=plan,columns=like.map((_,x)=>x),copies=columns.filter(x=>old[x]>=0),twins=columns.filter(
x=>like[x]!==x);for(let row=0;row<out.length;row+=width){for(let i=0;i<copies.length;i++)out[row+copies[i]]=before[row+old[copies[i]]];for(let i=0;i<twins.length;i++)
out[row+twins[i]]=out[row+like[twins[i]]]}}var CHUNK=32,SUMS=4,FOREVER=4294967295,Pile=class{constructor(timeline){this.timeline=timeline,this.tones,this.order=new Int32Array(0),this.bottom=new Float64Array(
1),this.length=0,this.last=new Uint32Array(0),this.bytes=new Float64Array(0),this.tone=new Uint8Array(0),this.count=new Int32Array(0),this.wholeUntil=new Uint32Array(
0),this.liveUntil=new Uint32Array(0),this.sums=new Float64Array(0),this.unused=new Int32Array(0),this.unusedCount=0,this.born=0,this.state=-1,this.#grow(1024)}clear(tones){
for(this.tones=tones;this.length>0;)this.unused[this.unusedCount++]=this.order[--this.length];this.born=0,this.state=-1}moveTo(k){if(k===this.state)return-1;let{
timeline}=this,had=this.length,dropped=this.#drop(k),top=this.length-1,born=countUpTo(timeline.data.first,k,this.born),added=timeline.liveOf(this.born,born,k);this.#push(
added),this.born=born,this.state=k;let changed=added.length>0?Math.max(0,Math.min(dropped,top)):dropped;return changed===had&&added.length===0?-1:(this.#stack(changed),
changed)}#drop(k){let{order,wholeUntil,liveUntil,count:count2,length}=this,j=0;for(;j<length&&wholeUntil[order[j]]>=k;)j++;let changed=j,kept=j;for(;j<length;j++){
let c=order[j];if(wholeUntil[c]<k){if(liveUntil[c]<k){this.unused[this.unusedCount++]=c;continue}this.#compact(c,k);let below=kept>0?order[kept-1]:-1;if(below>=
0&&count2[below]+count2[c]<=CHUNK/2){this.#merge(below,c),changed=Math.min(changed,kept-1);continue}}order[kept++]=c}return this.length=kept,Math.min(changed,kept)}#compact(c,k){
let{last,bytes:bytes2,tone,sums}=this,{red,green,blue}=this.tones,kept=c*CHUNK,end=kept+this.count[c],least=FOREVER;for(let q=kept;q<end;q++){let until=last[q],
size=bytes2[q],t=tone[q];if(until<k){sums[c*SUMS]-=size,sums[c*SUMS+1]-=size*red[t],sums[c*SUMS+2]-=size*green[t],sums[c*SUMS+3]-=size*blue[t];continue}until<least&&
(least=until),last[kept]=until,bytes2[kept]=size,tone[kept++]=t}this.count[c]=kept-c*CHUNK,this.wholeUntil[c]=least}#merge(into,from){let{last,bytes:bytes2,tone,
count:count2,sums,wholeUntil,liveUntil}=this,room=into*CHUNK+count2[into],start2=from*CHUNK;for(let i=0;i<count2[from];i++)last[room+i]=last[start2+i],bytes2[room+
i]=bytes2[start2+i],tone[room+i]=tone[start2+i];count2[into]+=count2[from],wholeUntil[into]=Math.min(wholeUntil[into],wholeUntil[from]),liveUntil[into]=Math.max(
liveUntil[into],liveUntil[from]);for(let s=0;s<SUMS;s++)sums[into*SUMS+s]+=sums[from*SUMS+s];this.unused[this.unusedCount++]=from}#push(ids){let{data}=this.timeline,
{of,red,green,blue}=this.tones,c=this.length>0?this.order[this.length-1]:-1;for(let i=0;i<ids.length;){(c<0||this.count[c]===CHUNK)&&(c=this.#newChunk());let{last,
bytes:bytes2,tone,sums}=this,end=Math.min(ids.length,i+CHUNK-this.count[c]),q=c*CHUNK+this.count[c];this.count[c]+=end-i;let least=this.wholeUntil[c],most=this.
liveUntil[c],sum=0,r=0,g=0,b=0;for(;i<end;i++,q++){let id=ids[i],until=data.last[id],n=data.size[id],t=of[id];last[q]=until,bytes2[q]=n,tone[q]=t,until<least&&(least=
until),until>most&&(most=until),sum+=n,r+=n*red[t],g+=n*green[t],b+=n*blue[t]}this.wholeUntil[c]=least,this.liveUntil[c]=most,sums[c*SUMS]+=sum,sums[c*SUMS+1]+=
r,sums[c*SUMS+2]+=g,sums[c*SUMS+3]+=b}}#newChunk(){this.unusedCount===0&&this.#grow(this.order.length*2);let c=this.unused[--this.unusedCount];this.count[c]=0,this.
wholeUntil[c]=FOREVER,this.liveUntil[c]=0;for(let s=c*SUMS;s<(c+1)*SUMS;s++)this.sums[s]=0;return this.order[this.length++]=c,c}#stack(from){let{order,bottom,sums,
length}=this;for(let j=from;j<length;j++)bottom[j+1]=bottom[j]+sums[order[j]*SUMS]}#grow(chunks){let had=this.order.length;this.order=widen(this.order,chunks),this.
bottom=widen(this.bottom,chunks+1),this.last=widen(this.last,chunks*CHUNK),this.bytes=widen(this.bytes,chunks*CHUNK),this.tone=widen(this.tone,chunks*CHUNK),this.
count=widen(this.count,chunks),this.wholeUntil=widen(this.wholeUntil,chunks),this.liveUntil=widen(this.liveUntil,chunks),this.sums=widen(this.sums,chunks*SUMS),
this.unused=widen(this.unused,chunks);for(let c=chunks-1;c>=had;c--)this.unused[this.unusedCount++]=c}};function widen(array,length){let wider=new array.constructor(
length);return wider.set(array),wider}var LINE_FROM=4,TILE=16,Raster=class{constructor(timeline){this.timeline=timeline,this.pile=new Pile(timeline)}paint(tones,view,out,columns){let{pile}=this,{states,
height}=view,column=new Uint32Array(height).fill(tones.paper),tile=new Uint32Array(height*TILE);pile.clear(tones);for(let i=0;i<columns.length;i++){let changed=pile.
moveTo(states[columns[i]]);changed>=0&&paintColumn(pile,view,changed,column);let t=i%TILE;tile.set(column,t*height),(t===TILE-1||i===columns.length-1)&&writeTile(
tile,columns,i-t,i+1,view,out)}}};function paintColumn(pile,view,changed,column){let{order,bottom,count:count2,sums,tone,bytes:bytes2,tones}=pile,{bytesFrom,lines:lines2,
height}=view,scale=height/(view.bytesTo-bytesFrom),start2=Math.max(0,Math.min(height,Math.floor((bottom[changed]-bytesFrom)*scale))),j=changed;for(;j>0&&(bottom[j]-
bytesFrom)*scale>start2;)j--;let y=start2,red=0,green=0,blue=0,covered=0;for(;j<pile.length&&y<height;j++){let c=order[j],chunkLow=(bottom[j]-bytesFrom)*scale,chunkHigh=(bottom[j+
1]-bytesFrom)*scale;if(chunkHigh<=y)continue;if(chunkLow>=y&&chunkHigh<y+1){covered+=sums[c*SUMS]*scale,red+=sums[c*SUMS+1]*scale,green+=sums[c*SUMS+2]*scale,blue+=
sums[c*SUMS+3]*scale;continue}let offset=bottom[j];for(let q=c*CHUNK,end=q+count2[c];q<end&&y<height;q++){let low=(offset-bytesFrom)*scale;offset+=bytes2[q];let high=(offset-
bytesFrom)*scale;if(high<=y)continue;let t=tone[q],r=tones.red[t],g=tones.green[t],b=tones.blue[t],from=low>y?low:y;if(high<y+1){let part=high-from;red+=r*part,
green+=g*part,blue+=b*part,covered+=part;continue}if(covered>0||from>y){let part=y+1-from;column[y++]=blend(red+r*part,green+g*part,blue+b*part,covered+part,tones.
paperChannels)}let whole=Math.floor(high);whole>y&&(column.fill(tones.fill[t],y,Math.min(whole,height)),lines2&&high-low>=LINE_FROM&&whole<=height&&(column[whole-
1]=tones.line[t]),y=whole),covered=high-whole,red=r*covered,green=g*covered,blue=b*covered}}y>=height||(covered>0&&(column[y++]=blend(red,green,blue,covered,tones.
paperChannels)),column.fill(tones.paper,y))}function blend(r,g,b,covered,paper){let bare=covered<1?1-covered:0,red=r+paper[0]*bare+.5|0,green=g+paper[1]*bare+.5|
0,blue=b+paper[2]*bare+.5|0;return(255<<24|Math.min(255,blue)<<16|Math.min(255,green)<<8|Math.min(255,red))>>>0}function writeTile(tile,columns,from,to,{states,
height},out){for(let y=0;y<height;y++){let row=(height-1-y)*states.length;for(let i=from;i<to;i++)out[row+columns[i]]=tile[(i-from)*height+y]}}var PLACEHOLDER=/^__f__(\w+)__f__$/;function revive(value,functions){if(typeof value=="string"){let name=PLACEHOLDER.exec(value)?.[1];return name!==void 0&&Object.
hasOwn(functions,name)?functions[name]:value}return Array.isArray(value)?value.map(v=>revive(v,functions)):value&&typeof value=="object"?Object.fromEntries(Object.
entries(value).map(([k,v])=>[k,revive(v,functions)])):value}var Chart=class{constructor(echarts,element,options){this.scene=null,this.plot,this.minimap,this.minimapOf=[],this.minimapStates=new Int32Array(0),this.ms=1/0,this.
minimapDue=!0,this.chart=echarts.init(element,null,{renderer:"canvas",width:1,height:1}),this.chart.setOption(revive(options,{timeline:params=>this.#plotImage(params.
coordSys),minimap:params=>this.#minimapImage(params.coordSys),position:v=>this.scene?.ticks.labelX(v)??"",bytes:v=>this.scene?.ticks.labelY(v)??""}))}resize({width,
height}){width===this.chart.getWidth()&&height===this.chart.getHeight()||(this.scene=null,this.chart.resize({width,height}))}draw(scene,ms){if(this.plot?.raster.
timeline!==scene.timeline){let raster=new Raster(scene.timeline);this.plot=new Canvas(raster),this.minimap=new Canvas(raster)}this.scene=scene,this.ms=ms,this.#planMinimap(
scene);let{layout,viewport,ticks,style,hasHistory}=scene,label={color:style.ink3,fontSize:11},line2={lineStyle:{color:style.strong}};this.chart.setOption({textStyle:{
fontFamily:style.font},grid:[{left:layout.left,top:layout.top,width:layout.plotWidth,height:layout.plotHeight},{left:layout.left,top:hasHistory?layout.minimapTop:
layout.height+50,width:layout.plotWidth,height:42}],xAxis:[{min:viewport.from,max:viewport.to,axisLine:{show:!0,...line2},axisTick:{show:hasHistory,customValues:ticks.
x,length:4,...line2},axisLabel:{...label,show:hasHistory,customValues:ticks.x,margin:7,hideOverlap:!0,showMinLabel:!0,showMaxLabel:!0}},{min:0,max:viewport.axis.
end}],yAxis:[{min:viewport.low,max:viewport.high,axisTick:{show:!1},axisLabel:{...label,customValues:ticks.y,margin:8,showMinLabel:!0,showMaxLabel:!0}},{min:0,max:viewport.
ceiling}]}),this.chart.getZr().flush()}get columns(){return this.plot?.columns??new Int32Array(0)}get isUnfinished(){return this.plot.isCoarse||this.minimapDue}#plotImage(box){
let{scene}=this;if(!scene)return;let{viewport,timeline,tones}=scene,{width,height}=pixelsOf(box),view={states:columnStates(viewport.axis,timeline,viewport.from,
viewport.to,width),height,bytesFrom:viewport.low,bytesTo:viewport.high,lines:!0};return this.plot.paint(tones,view,this.ms),image(this.plot.element,box)}#planMinimap({
timeline,viewport,plainTones,layout,hasHistory}){let{width}=pixelsOf({width:layout.plotWidth,height:42}),of=[timeline,plainTones,viewport.axis,width,devicePixelRatio];
of.every((v,i)=>v===this.minimapOf[i])||(this.minimapOf=of,this.minimapDue=hasHistory,this.minimapStates=columnStates(viewport.axis,timeline,0,viewport.axis.end,
width))}#minimapImage(box){let{scene,ms,minimapStates:states}=this;if(scene?.hasHistory){if(this.minimapDue&&(ms===1/0||this.plot.painted===0)){let{height}=pixelsOf(
box),view={states,height,bytesFrom:0,bytesTo:scene.viewport.ceiling,lines:!1};this.minimap.paint(scene.plainTones,view,ms),this.minimapDue=this.minimap.isCoarse}
return image(this.minimap.element,box)}}};function pixelsOf({width,height}){let ratio=devicePixelRatio;return{width:Math.max(1,Math.round(width*ratio)),height:Math.
max(1,Math.round(height*ratio))}}var Canvas=class extends Picture{element=document.createElement("canvas");get image(){let width=this.columns.length;return width>
0?new ImageData(new Uint8ClampedArray(this.pixels.buffer),width):null}paint(tones,view,ms){super.paint(tones,view,ms);let{element,image:image2}=this;image2&&(element.
width!==image2.width&&(element.width=image2.width),element.height!==image2.height&&(element.height=image2.height),element.getContext("2d")?.putImageData(image2,
0,0))}};function image(canvas,{x,y,width,height}){return{type:"image",silent:!0,style:{image:canvas,x,y,width,height}}}var CROWDED=3,GAP=3;function drawGrid({pen,scales,ticks,layout,style}){for(let v of ticks.y){if(v<=0)continue;let y=Math.round(scales.y(v))+.5;pen.line(layout.left,
y,layout.left+layout.plotWidth,y,{color:style.grid})}}function drawTop(frame){let{pen,scales,layout,timeline,columns,style}=frame,{g}=pen,step=layout.plotWidth/
columns.length;g.beginPath();for(let x=0;x<columns.length&&columns[x]>=0;x++){let left=layout.left+x*step,y=scales.y(timeline.active[columns[x]]);x===0?g.moveTo(
left,y):g.lineTo(left,y),g.lineTo(left+step,y)}pen.stroke(style.theme==="dark"?"#e9ebee99":"#15181c99",1)}function drawLowest({pen,scales,layout,timeline,viewport,
columns,style}){let{g}=pen,{axis,from,width}=viewport,step=layout.plotWidth/columns.length,perColumn=width/columns.length,down=!1,drawn=!1;g.beginPath();for(let x=0;x<
columns.length&&columns[x]>=0;x++){let covered=axis.states(from+perColumn*x,from+perColumn*(x+1));if(!covered||covered[1]-covered[0]+1<CROWDED){down=!1;continue}
let low=timeline.active[timeline.lowest.best(covered[0],covered[1])],y=scales.y(low);if(y-scales.y(timeline.active[columns[x]])<GAP){down=!1;continue}let left=layout.
left+x*step;down?g.lineTo(left,y):g.moveTo(left,y),g.lineTo(left+step,y),down=drawn=!0}drawn&&pen.stroke(style.theme==="dark"?"#14161aaa":"#15181c66",1,[2,2])}function drawReserved({
pen,scales,timeline,viewport,layout,style}){let{g}=pen,{axis}=viewport,{reserved,reservedFrom}=timeline,right=Math.min(layout.left+layout.plotWidth,scales.x(axis.
extent)),i=countUpTo(reservedFrom,axis.stateAt(viewport.from))-1,y=scales.y(reserved[i]);g.beginPath(),g.moveTo(layout.left,y);let xOf=step=>scales.x(axis.begins(
reservedFrom[step]));for(i++;i<reserved.length&&xOf(i)<=right;){let x=xOf(i);g.lineTo(x,y);let low=1/0,high=0;do low=Math.min(low,reserved[i]),high=Math.max(high,
reserved[i]),y=scales.y(reserved[i++]);while(i<reserved.length&&Math.floor(xOf(i))===Math.floor(x));low<high&&(g.lineTo(x,scales.y(high)),g.lineTo(x,scales.y(low))),
g.lineTo(x,y)}g.lineTo(right,y),pen.stroke(style.ink2,1.25)}var PLACES=[1,.2,.9,.8,.7,.6,.5,.4,.3];function labelReserved(frame){let{pen,scales,timeline,viewport,
layout,style}=frame,end=Math.min(layout.left+layout.plotWidth,scales.x(viewport.axis.extent))-6,widest=pen.measure(`reserved ${bytes(timeline.reservedPeak)}`)+4,
right=PLACES.map(part=>Math.max(layout.left+8+widest,layout.left+(end-layout.left)*part)).find(x=>isClear(frame,x-widest,x))??end,value=timeline.reservedAt(viewport.
axis.stateAt(scales.position(right)-1e-9)),y=scales.y(value);if(y<layout.top-12||y>layout.top+layout.plotHeight)return;let above=y>=layout.top+4;pen.text(`reser\
ved ${bytes(value)}`,right,above?y-8:y+9,{align:"right",color:style.ink2,halo:!0})}function isClear({scales,timeline,viewport,markers},left,right){let{axis}=viewport,
from=axis.stateAt(scales.position(left)),to=axis.stateAt(scales.position(right)),y=scales.y(timeline.reservedAt(to));if(Math.abs(y-scales.y(timeline.reservedAt(
from)))>2||scales.y(timeline.active[timeline.highest.best(from,to)])<y+2)return!1;let peakX=scales.x(axis.middle(timeline.peak));return!(peakX<left-75||peakX>right+
75)&&Math.abs(y-scales.y(timeline.active[timeline.peak]))<46?!1:!markers.some(m=>scales.x(axis.middle(m.state))>left-4&&scales.x(axis.middle(m.state))<right+4)}function crowd(timeline,columns){let state=columns[columns.length>>1]??-1;return state<0?0:timeline.live(state).length}function bandLabels(timeline,groups,columns,viewport,layout){
let perByte=layout.plotHeight/(viewport.high-viewport.low),step=crowd(timeline,columns)>4e4?54:27,runs=[],before=[];for(let x=27;x<layout.plotWidth-27;x+=step){
let state=columns[Math.min(columns.length-1,Math.round(x/layout.plotWidth*columns.length))];if(state<0)break;before=bandsOf(timeline,groups,state,viewport,17/perByte).
map(band=>{let left=before.find(b=>!b.continued&&b.group===band.group&&Math.min(b.high,band.high)-Math.max(b.low,band.low)>15/perByte),run=left?left.run:{group:band.
group,spots:[]};return left?left.continued=!0:runs.push(run),run.spots.push({x,low:band.low,high:band.high}),{...band,run,continued:!1}})}return bestSpots(runs,
perByte,viewport,step)}function bandsOf(timeline,groups,state,view,least){let bands=[],{size}=timeline.data,group=-1,low=0,offset=0,close=()=>{group>=0&&Math.min(
offset,view.high)-Math.max(low,view.low)>=least&&bands.push({group,low,high:offset})};for(let id of timeline.live(state))groups[id]!==group&&(close(),group=groups[id],
low=offset),offset+=size[id];return close(),bands}function bestSpots(runs,perByte,view,step){let wide=54/step,best=new Map;for(let{group,spots}of runs)for(let i=wide;i<
spots.length-wide;i++){let low=view.low,high=view.high;for(let j=i-wide;j<=i+wide;j++)low=Math.max(low,spots[j].low),high=Math.min(high,spots[j].high);let tall=(high-
low)*perByte;if(tall<17)continue;let score=Math.min(tall,60)+Math.min(i,spots.length-1-i,10)*4;score>(best.get(group)?.score??-1)&&best.set(group,{group,x:spots[i].
x,low,high,score})}return[...best.values()]}function drawPeak({pen,scales,timeline,viewport,layout,style,markers}){let{left,plotWidth,plotHeight,top}=layout,{axis}=viewport,x=scales.x(axis.middle(timeline.
peak)),value=timeline.active[timeline.peak];if(x<left||x>left+plotWidth||markers.some(m=>m.kind==="oom"&&Math.abs(scales.x(axis.middle(m.state))-x)<14))return;let y=scales.
y(value),bottom=top+plotHeight;if(y>bottom)return;let line2=Math.round(x)+.5;if(pen.line(line2,Math.max(y,top),line2,bottom,{color:style.ink,dash:[3,3]}),y<top-
2)return;pen.triangle(x,y-1,5,7,style.ink);let reserved=scales.y(timeline.reservedAt(timeline.peak)),flag=Math.abs(y-18-reserved)<12?reserved-13:y-18;pen.flag(`\
peak ${bytes(value)}`,x,Math.max(top-10,flag),{fill:style.paper,color:style.ink,border:style.strong,min:left,max:left+plotWidth})}function drawOOMs(frame){let{scales,
layout,viewport,markers}=frame,free=-1/0;for(let m of markers){if(m.kind!=="oom")continue;let x=scales.x(viewport.axis.middle(m.state));x<layout.left-1||x>layout.
left+layout.plotWidth+1||(free=drawOOM(frame,m,x,x>free))}}function drawOOM({pen,scales,timeline,layout,style},m,x,named){let{g}=pen,{left,top,plotWidth,plotHeight}=layout,
right=left+plotWidth;pen.line(x,top-2,x,top+plotHeight,{color:style.oom,width:1.5});let reserved=timeline.reservedAt(m.state),low=scales.y(reserved),high=Math.min(
scales.y(reserved+m.size),low-5),width=Math.max(26,Math.min(right-x-2,120));if(pen.clip(left,top-2,plotWidth,plotHeight+2,()=>{pen.clip(x,high,width,low-high,()=>{
g.beginPath();for(let q=high-low;q<width;q+=4)g.moveTo(x+q,low),g.lineTo(x+q+(low-high),high);pen.stroke(style.oom,1)}),g.beginPath(),g.rect(x,high,width,low-high),
pen.stroke(style.oom,1.25)}),!named)return x;let color=style.theme==="dark"?style.paper:"#ffffff";return pen.flag(`OOM: asked ${bytes(m.size)}`,x,top-12,{fill:style.
oom,color,min:left,max:right})[1]}function drawSnapshots({pen,scales,layout,viewport,markers,style}){let free=-1/0;for(let m of markers){if(m.kind!=="snapshot")
continue;let x=scales.x(viewport.axis.middle(m.state)),{left,top,plotWidth,plotHeight}=layout;if(x<left||x>left+plotWidth)continue;pen.line(x,top,x,top+plotHeight,
{color:style.ink3,dash:[1,3]}),pen.line(x,top-5,x,top,{color:style.ink3});let label="snapshot",width=pen.measure(label),atRight=x+width+4>left+plotWidth;x<free+
6||(pen.text(label,atRight?x-4:x+4,top-6,{align:atRight?"right":"left",color:style.ink3,halo:!0}),free=x+(atRight?0:width))}}function drawFoot({pen,scales,viewport,
layout,style}){if(viewport.base<=0||viewport.low<=0)return;let{g}=pen,{left,top,plotWidth,plotHeight}=layout,bottom=top+plotHeight,y=Math.min(bottom-12,(scales.
y(viewport.base)+bottom)/2);pen.text(`↓ ${bytes(viewport.base)} below, unchanged in this view`,left+plotWidth/2,y,{align:"center",weight:600,halo:!0}),g.beginPath(),
g.moveTo(left,bottom-4);for(let x=left,notch=0;x<=left+plotWidth;x+=6,notch++)g.lineTo(x,bottom-(notch%2?1:4));pen.stroke(style.paper,2)}var MOST_STATES=600,MOST_TENSORS=200,PITCH=5,LEAST_WIDTH=3,LEAST_HEIGHT=5;function drawPending({pen,scales,layout,timeline,viewport,style}){let{g}=pen,{axis}=viewport,
{data}=timeline,covered=axis.states(viewport.from,viewport.to);if(!covered||covered[1]-covered[0]>MOST_STATES)return;let waiting=[];if(data.pendingAlloc.forEach(
(id,i)=>{let from=Math.max(covered[0],data.last[id]-data.pendingWait[i]+1),to=Math.min(covered[1],data.last[id]);from<=to&&waiting.push({id,from,to})}),waiting.
length===0||waiting.length>MOST_TENSORS)return;let area=new Path2D;for(let{id,from,to}of waiting){let outline=new Outline(timeline,id),size=data.size[id];for(let k=from;k<=
to;k++){let x=scales.x(axis.begins(k)),right=k===timeline.lastState?scales.x(axis.extent):scales.x(axis.begins(k+1)),offset=outline.offset(k),y=scales.y(offset+
size),height=scales.y(offset)-y;right-x>=LEAST_WIDTH&&height>=LEAST_HEIGHT&&area.rect(x,y,right-x,height)}}let{left,top,plotWidth,plotHeight}=layout;pen.clip(left,
top,plotWidth,plotHeight,()=>{g.clip(area),g.beginPath();for(let x=-plotHeight;x<plotWidth;x+=PITCH)g.moveTo(left+x,top+plotHeight),g.lineTo(left+x+plotHeight,top);
pen.stroke(style.theme==="dark"?"#000000aa":"#ffffffba",1.5)})}var CROWD=1e4;function drawMarks(canvas,scene){let{layout,style,hasHistory}=scene,pen=new Pen(freshContext(canvas,layout.width,layout.height),style),frame={...scene,
pen},{left,top,plotWidth,plotHeight}=layout;if(drawGrid(frame),pen.clip(left,top-4,plotWidth+1,plotHeight+4,()=>{drawTop(frame),hasHistory&&drawLowest(frame),drawReserved(
frame)}),hasHistory&&drawPending(frame),drawNames(frame),drawFoot(frame),hasHistory&&drawSnapshots(frame),labelReserved(frame),hasHistory&&(drawPeak(frame),drawOOMs(
frame),drawMinimap(frame),pen.text(scene.viewport.axis.kind==="time"?"time":"event",left+plotWidth,top+plotHeight+14,{align:"right",color:style.ink3})),scene.outline){
let{outline}=scene;pen.clip(left,top,plotWidth,plotHeight,()=>drawOutline(frame,outline))}}function drawNames(frame){let{timeline,grouping,columns,viewport,layout,
scales,pen}=frame;if(!frame.faded&&!(frame.moving&&crowd(timeline,columns)>CROWD))for(let{group,x,low,high}of bandLabels(timeline,grouping.of,columns,viewport,layout)){
let{label,ink}=grouping.groups[group];pen.text(label,layout.left+x,(scales.y(low)+scales.y(high))/2+.5,{align:"center",weight:600,size:12,color:ink})}}function drawMinimap({
pen,scales,layout,viewport,timeline,minimap,markers,style}){let{g}=pen,{left,plotWidth,minimapTop:top}=layout,{axis,from,to}=viewport;if(pen.text("all",left-8,top+
42/2,{align:"right",color:style.ink3}),g.strokeStyle=style.strong,g.lineWidth=1,g.strokeRect(left-.5,top-.5,plotWidth+1,43),drawMinimapCurve({pen,layout,viewport,
timeline,minimap,style}),!viewport.isWhole){let a=scales.minimapX(from),b=Math.max(scales.minimapX(to),a+3);g.fillStyle=style.theme==="dark"?"#14161ab3":"#fffff\
fb3",g.fillRect(left,top,a-left,42),g.fillRect(b,top,left+plotWidth-b,42),g.strokeStyle=style.ink,g.lineWidth=1.5,g.strokeRect(a-.5,top-1.5,b-a+1,45),g.fillStyle=
style.ink;for(let edge of[a,b])g.beginPath(),g.roundRect(edge-2.5,top+42/2-8,5,16,2),g.fill()}pen.triangle(scales.minimapX(axis.middle(timeline.peak)),top+4,4,6,
style.ink);for(let m of markers)m.kind==="oom"&&(g.fillStyle=style.oom,g.fillRect(scales.minimapX(axis.middle(m.state))-1,top,2,42))}function drawMinimapCurve({
pen,layout,viewport,timeline,minimap,style}){let{g}=pen,{left,plotWidth,minimapTop}=layout,step=plotWidth/minimap.length;g.beginPath();for(let x=0;x<minimap.length&&
minimap[x]>=0;x++)g.lineTo(left+(x+.5)*step,minimapTop+42*(1-timeline.active[minimap[x]]/viewport.ceiling));pen.stroke(style.theme==="dark"?"#e9ebee80":"#15181c\
80",1)}function drawCursor(canvas,{layout,style,scales,ticks,timeline,viewport,hasHistory},cursor,box){let pen=new Pen(freshContext(canvas,layout.width,layout.height),
style),{g}=pen,{left,top,plotWidth,plotHeight}=layout,bottom=top+plotHeight,right=left+plotWidth;if(box){g.fillStyle=style.grid,g.fillRect(box.x0,box.y0,box.x1-
box.x0,box.y1-box.y0),g.strokeStyle=style.ink,g.setLineDash([4,3]),g.strokeRect(Math.round(box.x0)+.5,Math.round(box.y0)+.5,box.x1-box.x0,box.y1-box.y0);return}
if(!cursor||!hasHistory||cursor.x<left||cursor.x>right)return;let x=Math.round(cursor.x)+.5,total=timeline.active[cursor.state],y=scales.y(total);g.globalAlpha=
cursor.hovered?.7:1,pen.line(x,Math.max(top,Math.min(bottom,y)),x,bottom,{color:style.ink}),g.globalAlpha=1,g.fillStyle=style.paper;for(let v of ticks.x)Math.abs(
scales.x(v)-x)<62&&g.fillRect(scales.x(v)-32,bottom+1.5,64,22);x>right-92&&g.fillRect(right-34,bottom+5,36,18);let{axis}=viewport,flag={fill:style.ink,color:style.
paper};if(pen.flag(axis.kind==="time"?duration(axis.begins(cursor.state)):count(cursor.state),x,bottom+14,{...flag,min:left,max:right}),!(y<top||y>bottom)&&(g.beginPath(),
g.arc(x,y,3,0,7),g.fillStyle=style.ink,g.fill(),pen.stroke(style.paper,1.5),!!cursor.hovered)){g.fillStyle=style.paper;for(let v of ticks.y)Math.abs(scales.y(v)-
y)<16&&g.fillRect(0,scales.y(v)-8,left-3,16);pen.flag(bytes(total),left-30,y,{...flag,min:1,max:left-1})}}var APART_X=130,APART_Y=92,NAME=64;function ticksOf(viewport,width,height){let{axis,from,to,low,high,base}=viewport,y=[],stepY=byteStep(high-low,Math.max(3,height/
APART_Y));for(let v=base>0?base:Math.ceil(low/stepY)*stepY;v<=high;v+=stepY)y.push(v);let x=[],stepX=decimalStep(to-from,Math.max(3,width/APART_X));for(let v=Math.
ceil(from/stepX)*stepX;v<=axis.extent&&!((v-from)/(to-from)*width>width-NAME);v+=stepX)x.push(v);return{x,y,labelX:v=>axis.kind==="time"?axisTime(v,to-from,stepX):
count(v),labelY:v=>base>0?v-base<1?bytes(base):axisChange(v-base):axisBytes(v,high,stepY)}}var MOVING_MS=8,STILL_MS2=24,Stage=class{constructor(app,elements,echarts,options){this.app=app,this.elements=elements,this.chart=new Chart(echarts,elements.chart,
options),this.scales,this.ticks,this.box=null,this.dirty=0,this.requested=0,app.on(["device","view","colour"],()=>this.invalidate(3)),app.on(["pin"],()=>this.invalidate(
2)),app.on(["moment","hover"],()=>this.invalidate(1)),app.on(["settled"],()=>this.invalidate(2)),new ResizeObserver(()=>{let{clientWidth:width,clientHeight:height}=elements.
timeline,drawn=this.scales?.layout;drawn&&(width!==drawn.width||height!==drawn.height)&&this.drawNow()}).observe(elements.timeline)}invalidate(what){this.dirty=
Math.max(this.dirty,what),this.requested||=requestAnimationFrame(()=>{this.#frame(),!this.app.moving&&this.chart.isUnfinished&&this.invalidate(1)})}#frame(ms=this.
app.moving?MOVING_MS:STILL_MS2){this.requested=0;let{app,chart,dirty}=this;this.dirty=0;let finishing=dirty<3&&!app.moving&&chart.isUnfinished;(dirty>=3||finishing)&&
this.#drawChart(ms),(dirty>=2||finishing&&chart.plot.painted>0)&&this.#drawMarks(),this.#drawCursor()}drawNow(ms=1/0){this.app.moving=!1,this.dirty=3,cancelAnimationFrame(
this.requested),this.#frame(ms)}#drawChart(ms){let{app}=this,{timeline:element}=this.elements,layout=layoutOf(element.clientWidth,element.clientHeight,app.device.
hasHistory);this.scales=new Scales(layout,app.viewport),this.ticks=ticksOf(app.viewport,layout.plotWidth,layout.plotHeight),this.chart.resize(layout),this.chart.
draw({timeline:app.device.timeline,viewport:app.viewport,layout,ticks:this.ticks,tones:app.tones,plainTones:app.plainTones,hasHistory:app.device.hasHistory,style:app.
style},ms)}#drawMarks(){let{app}=this;drawMarks(this.elements.marks,{...this.#scene(),columns:this.chart.columns,minimap:this.chart.minimapStates,markers:app.device.
data.markers,grouping:app.grouping,faded:app.isolated.size>0,moving:app.moving||this.chart.plot.isCoarse,outline:app.outline})}#drawCursor(){let{app}=this,{hover}=app,
cursor=hover?{x:hover.x,state:hover.state,hovered:!0}:app.moment==="cursor"?{x:this.scales.x(app.viewport.axis.middle(app.cursor)),state:app.cursor,hovered:!1}:
null;drawCursor(this.elements.cursor,this.#scene(),cursor,this.box)}#scene(){let{app}=this;return{layout:this.scales.layout,scales:this.scales,ticks:this.ticks,
style:app.style,timeline:app.device.timeline,viewport:app.viewport,hasHistory:app.device.hasHistory}}at(x,y){let{scales,chart:{columns}}=this,{left,plotWidth}=scales.
layout;if(scales.part(x,y)!=="plot"||columns.length===0)return null;let column=Math.min(columns.length-1,Math.floor((x-left)/plotWidth*columns.length)),state=columns[column];
return state<0?null:{x,state,hit:this.app.device.timeline.hit(state,scales.bytes(y))}}painted(){return new Promise(resolve=>{let late=setTimeout(resolve,250);requestAnimationFrame(
async()=>{await nextTask(),clearTimeout(late),resolve()})})}};function nextTask(){return new Promise(resolve=>{let{port1,port2}=new MessageChannel;port1.onmessage=
()=>resolve(),port2.postMessage(null)})}var FIRST_MS=30;function missingFeature(){try{new DecompressionStream("deflate-raw")}catch{return"DecompressionStream for deflate-raw"}return document.createElement(
"canvas").getContext("2d")?typeof ResizeObserver>"u"?"ResizeObserver":window.echarts?null:"the chart library":"the 2D canvas"}function keepSummary(why){byId("su\
mmary").hidden=!1;let notice=byId("notice");notice.textContent=why,notice.hidden=!1,document.documentElement.classList.remove("scripted")}function build(report){
let app=new App(report,new Library(report,document)),timeline=byId("timeline"),cursor=byId("cursor"),stage=new Stage(app,{timeline,chart:byId("chart"),marks:byId(
"marks"),cursor},window.echarts,JSON.parse(byId("memviz-chart").textContent??"")),hash=new Hash(app),history2=new ViewHistory(app),theme=new Theme(app),forced=new URLSearchParams(
location.hash.slice(1)).get("theme");(forced==="light"||forced==="dark")&&theme.force(forced);let list=byId("keys"),guide=byId("guide");mountHeader(app,{file:byId(
"file"),device:byId("device"),facts:byId("facts"),verdict:byId("verdict"),warnings:byId("warnings")}),mountAnswers(app,byId("answers")),mountToolbar(app,history2,
byId("toolbar")),mountPanel(app,byId("moment")),mountTable(app,byId("table"));let pinned=new PinnedPanel(app,byId("pinned"),byId("side"));mountTooltip(app,byId(
"tooltip"),timeline),mountStatus(app,byId("where"),byId("scale"),()=>stage.scales?.layout.plotWidth??1),mountKeys({app,history:history2,pinned,theme,list,guide,
spoken:byId("spoken")}),new Pointer(app,stage,cursor),app.on(["settled"],()=>cursor.setAttribute("aria-label",describePlot(app))),byId("show-guide").addEventListener(
"click",()=>{guide.hidden=!guide.hidden}),byId("close-guide").addEventListener("click",()=>{guide.hidden=!0});for(let id of["show-keys","show-keys-too"])byId(id).
addEventListener("click",()=>list.showModal());byId("theme").addEventListener("click",()=>theme.cycle());for(let event of["beforeprint","afterprint"])addEventListener(
event,()=>{app.device&&stage.drawNow()});return{app,stage,hash}}function describePlot(app){let{timeline,report,data}=app.device,{viewport,grouping}=app,sums=new Float64Array(
grouping.groups.length);for(let id of timeline.live(timeline.peak))sums[grouping.of[id]]+=data.size[id];let most=grouping.groups[sums.indexOf(Math.max(...sums))]?.
label??"nothing",covered=viewport.axis.states(viewport.from,viewport.to)??[0,0];return`Stacked memory timeline of ${report.label}: peak ${bytes(timeline.active[timeline.
peak])} in state ${count(timeline.peak)}, most of it ${most}; showing states ${count(covered[0])} to ${count(covered[1])}`}async function showFirst(app,stage,hash){
let viewer=byId("viewer"),{file,device}=hash.device();viewer.classList.add("measuring"),viewer.hidden=!1,await app.open(file,device),hash.apply(),stage.drawNow(
FIRST_MS),viewer.classList.remove("measuring"),byId("summary").hidden=!0,await stage.painted()}async function showRest(app){await nextTask(),app.settle()}async function showEmpty(report){
byId("file").textContent=report.files[0]?.name??"";for(let id of["device","answers","toolbar","side","chart","marks","cursor","status"])byId(id).hidden=!0;byId(
"empty").hidden=byId("viewer").hidden=!1,byId("summary").hidden=!0}async function start(){let missing=missingFeature();if(missing){keepSummary(`This browser lac\
ks ${missing}, which the interactive timeline needs. Below is the summary written with the file.`);return}try{let report=parseReport(byId("memviz-report").textContent??
""),{app,stage,hash}=build(report),empty=report.files.every(f=>f.devices.length===0),shown=empty?showEmpty(report):showFirst(app,stage,hash);window.memviz=consoleApi(
app,stage,shown),await shown,empty||await showRest(app),document.documentElement.dataset.ready="true"}catch(error){throw byId("viewer").hidden=!0,keepSummary(`T\
he interactive timeline could not start: ${error instanceof Error?error.message:error}. Below is the summary written with the file.`),error}}start();})();
